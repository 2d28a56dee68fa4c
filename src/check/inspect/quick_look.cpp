#include "check/inspect/quick_look.hpp"

#include <algorithm>

#include "base/io/file.hpp"
#include "codec/file_facts.hpp"
#include "dataset/loader_limits.hpp"
#include "shard/keys.hpp"
#include "shard/tar_input.hpp"
#include "source/source_file.hpp"

namespace shardmill::check {

namespace {

using Extensions = std::map<std::string, Contents::Extension>;

/// The extension that most audio members have; the end of the map when there is no audio.
Extensions::const_iterator usual_audio(const Extensions& extensions) {
  auto usual = extensions.end();
  for (auto each = extensions.begin(); each != extensions.end(); ++each) {
    if (!shard::is_audio_extension(each->first)) continue;
    if (usual == extensions.end() || each->second.members > usual->second.members) usual = each;
  }
  return usual;
}

}  // namespace

void check_shard_name(ShardReport& shard) {
  if (!dataset::has_nemo_name(shard.path))
    shard.issues.add(issue::kShardName, {.where = {.path = shard.path}});
}

void check_text_members(ShardReport& shard) {
  const auto found = shard.contents.extensions.find("txt");
  if (found == shard.contents.extensions.end() || !shard.contents.has_audio()) return;
  shard.issues.add(issue::kTextMembers, {.where = {.path = shard.path}}, found->second.members);
}

void check_containers(DatasetReport& dataset) {
  Extensions all;
  for (const ShardReport& shard : dataset.shards) {
    for (const auto& [extension, amount] : shard.contents.extensions)
      all[extension].members += amount.members;
  }
  const auto usual = usual_audio(all);
  if (usual == all.end()) return;
  for (const ShardReport& shard : dataset.shards) {
    IssueList issues;
    for (const auto& [extension, amount] : shard.contents.extensions) {
      if (extension == usual->first || !shard::is_audio_extension(extension)) continue;
      issues.add(issue::kMixedContainers, {.where = {.path = shard.path}, .what = extension}, amount.members);
    }
    dataset.issues.merge(issues);
  }
}

namespace {

/// True when the end of a file can be found without decoding everything before it.
bool shows_its_end(codec::Codec codec) {
  return codec == codec::Codec::none || codec == codec::Codec::zstd || codec == codec::Codec::lz4;
}

void look_at(ShardReport& shard) {
  base::File file = base::File::open_read(shard.path);
  shard.codec = codec::codec_of(file);
  check_codec(shard);
  check_shard_name(shard);
  if (shard::is_parquet(file)) return void(shard::parquet_facts(file));
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
