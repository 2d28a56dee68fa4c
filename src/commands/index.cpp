#include "shardmill/commands/index.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <utility>

#include "shardmill/base/file.hpp"
#include "shardmill/base/folder.hpp"
#include "shardmill/base/writer_lock.hpp"
#include "shardmill/commands/rank_shards.hpp"
#include "shardmill/commands/relist.hpp"
#include "shardmill/commands/staged_files.hpp"
#include "shardmill/commands/verify.hpp"
#include "shardmill/manifest/layout.hpp"
#include "shardmill/source/source_set.hpp"

namespace shardmill::commands {

namespace fs = std::filesystem;

namespace {

struct Target {
  std::string folder;
  std::uint64_t samples = 0;  // where they are known
  std::vector<ShardToIndex> shards{};
};

codec::Codec codec_of(const std::string& path) {
  std::vector<std::byte> first(codec::kDetectBytes);
  first.resize(base::File::open_read(path).read_at(first, 0));
  return codec::detect(first);
}

Target dataset_target(const std::string& folder, const IndexOptions& options, pipeline::Workers& workers,
                      base::Reporter& reporter) {
  Target target{.folder = folder};
  const RankShards found = find_rank_shards({folder}, {}, workers, reporter);  // sound, or an Error
  for (std::size_t i = 0; i < found.shards.size(); ++i) {
    const RankShard& shard = found.shards[i];
    check_codec(options.kinds, shard.codec);
    target.samples += shard.load.samples;
    target.shards.push_back({.path = shard.path,
                             .name = shard.path.substr(folder.size() + 1),
                             .manifest = fmt::format("{}/{}/{}", folder, manifest::kManifestFolder,
                                                     manifest::manifest_file_name(i))});
  }
  return target;
}

/// The deepest folder that all of them are in.
fs::path common_folder(const std::vector<std::string>& paths) {
  fs::path common = fs::path(paths.front()).parent_path();
  for (const std::string& path : paths) {
    const auto inside = [&] {
      const fs::path relative = fs::path(path).lexically_relative(common);
      return !relative.empty() && *relative.begin() != "..";
    };
    while (!inside()) common = common.parent_path();
  }
  return common;
}

Target shard_target(const IndexOptions& options) {
  for (const manifest::IndexKind kind : options.kinds) {
    if (needs_manifests(kind))
      throw UsageError(
          fmt::format("the {} list is made from manifests, which these shards do not have", name(kind)),
          at(options.targets.front()), "shardmill repack writes them");
  }
  const source::SourceSet found = source::find_sources(
      options.targets, {.on_unusable = source::OnUnusable::stop, .corpora = false, .allow_commands = false});
  std::vector<std::string> paths;
  for (const source::SourceDataset& dataset : found.datasets) {
    for (const source::SourceFile& file : dataset.files) paths.push_back(base::canonical(file.path));
  }
  std::error_code unreadable;  // then it would not have been found
  const bool is_folder = options.targets.size() == 1 && fs::is_directory(options.targets.front(), unreadable);
  Target target{.folder =
                    is_folder ? base::canonical(options.targets.front()) : common_folder(paths).string()};
  for (const std::string& path : paths) {
    if (const codec::Codec codec = codec_of(path); codec != codec::Codec::none)
      throw Error(fmt::format("is compressed with {}: an index says where samples lie in a plain tar",
                              codec::name(codec)),
                  at(path), "shardmill convert --codec none makes it plain");
    target.shards.push_back(
        {.path = path, .name = fs::path(path).lexically_relative(target.folder).string(), .manifest = {}});
  }
  return target;
}

/// Takes the new files into SHA256SUMS.
void record_checksums(const std::string& folder, const std::vector<manifest::Checksum>& files) {
  const std::string path = folder + "/" + std::string(manifest::kChecksums);
  std::map<std::string, manifest::Checksum> all;
  for (manifest::Checksum& checksum : manifest::read_checksums(path)) all[checksum.path] = checksum;
  for (const manifest::Checksum& checksum : files) all[checksum.path] = checksum;
  std::string text;
  for (const auto& [name, checksum] : all) append_line(text, checksum);
  base::AtomicFile file(path);
  file.write(std::string_view(text));
  file.commit();
}

/// All indexes or, where something is wrong with a shard, none.
WrittenIndexes write_together(const Target& target, const IndexOptions& options, pipeline::Workers& workers,
                              base::Reporter& reporter) {
  StagedFiles staged(target.folder);
  WrittenIndexes written = write_index_files(options.kinds, target.shards, staged.path(), workers, reporter);
  std::vector<std::string> names;
  for (const manifest::Checksum& file : written.files) names.push_back(file.path);
  staged.publish(names);
  return written;
}

IndexSummary summary_of(const Target& target, const WrittenIndexes& written) {
  IndexSummary summary{
      .folder = target.folder, .shards = target.shards.size(), .samples = target.samples, .files = {}};
  if (summary.samples == 0) summary.samples = written.samples;
  for (const manifest::Checksum& file : written.files) summary.files.push_back(file.path);
  return summary;
}

}  // namespace

IndexSummary run_index(const IndexOptions& options, pipeline::Workers& workers, base::Reporter& reporter) {
  if (options.targets.size() != 1 || !is_dataset_folder(options.targets.front())) {
    if (!options.list_root.empty())
      throw UsageError("--list-root is for a dataset that shardmill made", at(options.targets.front()));
    const Target target = shard_target(options);
    return summary_of(target, write_together(target, options, workers, reporter));
  }
  std::string folder = options.targets.front();
  while (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
  const std::string lock_path = folder + "/" + std::string(manifest::kLockFile);
  std::vector<std::string> lists;
  if (!options.list_root.empty()) {
    const auto lock = base::WriterLock::acquire(lock_path, options.command);
    lists = relist(folder, options.list_root);
    if (options.kinds.empty()) return {.folder = folder, .files = {}, .lists = std::move(lists)};
  }
  const Target target = dataset_target(folder, options, workers, reporter);
  const auto lock = base::WriterLock::acquire(lock_path, options.command);
  const WrittenIndexes written = write_together(target, options, workers, reporter);
  record_checksums(folder, written.files);
  IndexSummary summary = summary_of(target, written);
  summary.lists = std::move(lists);
  return summary;
}

}  // namespace shardmill::commands
