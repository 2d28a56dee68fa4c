#include "check/inspect/quick_look.hpp"

#include <array>
#include <span>

#include "base/io/file.hpp"
#include "check/inspect/loader_hazards.hpp"
#include "codec/file_facts.hpp"
#include "source/source_file.hpp"

namespace shardmill::check {

namespace {

/// True when the end of a file can be found without decoding everything before it.
bool shows_its_end(codec::Codec codec) {
  return codec == codec::Codec::none || codec == codec::Codec::zstd || codec == codec::Codec::lz4;
}

void look_at(ShardReport& shard) {
  base::File file = base::File::open_read(shard.path);
  std::array<std::byte, codec::kDetectBytes> first{};
  shard.codec = codec::detect(std::span(first).first(file.read_at(first, 0)));
  check_codec(shard);
  check_shard_name(shard);
  if (!shows_its_end(shard.codec) || codec::looks_whole(file, shard.codec)) return;
  shard.issues.add(shard.codec == codec::Codec::none ? *issue::of(ShardProblem::no_end) : issue::kCutShort,
                   {.where = {.path = shard.path}});
}

}  // namespace

void check_codec(ShardReport& shard) {
  if (shard.codec == codec::Codec::zstd) shard.issues.add(issue::kZstd, {.where = {.path = shard.path}});
  if (shard.codec == codec::Codec::lz4) shard.issues.add(issue::kLz4, {.where = {.path = shard.path}});
}

void look_at(DatasetReport& dataset, pipeline::Workers& workers, base::Reporter& reporter) {
  workers.for_each(dataset.shards.size(), [&](std::size_t index) {
    reporter.check_stop();
    ShardReport& shard = dataset.shards[index];
    try {
      look_at(shard);
    } catch (const Error& error) {
      shard.issues.add(issue::kUnreadableFile, {.where = {.path = shard.path}, .what = error.problem()});
    }
    reporter.progress().input_bytes += shard.contents.bytes;
  });
  std::vector<source::SourceFile> files;
  for (const ShardReport& shard : dataset.shards) {
    if (shard.issues.all().contains(issue::kUnreadableFile)) continue;
    files.push_back({.path = shard.path, .bytes = shard.contents.bytes});
  }
  dataset.contents.tar_bytes = source::estimate_tar_bytes(files);
}

}  // namespace shardmill::check
