#include "commands/index.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <utility>

#include "base/io/file.hpp"
#include "base/io/folder.hpp"
#include "base/io/writer_lock.hpp"
#include "check/verification.hpp"
#include "dataset/hold.hpp"
#include "dataset/output_folder.hpp"
#include "dataset/owned_files.hpp"
#include "dataset/records.hpp"
#include "dataset/relist.hpp"
#include "dataset/staged_files.hpp"
#include "manifest/layout.hpp"
#include "ranks/shards.hpp"
#include "source/source_set.hpp"

namespace shardmill::commands {

namespace fs = std::filesystem;

namespace {

struct Target {
  std::string folder;
  std::uint64_t samples = 0;  // if known
  std::vector<dataset::ShardToIndex> shards{};
};

codec::Codec codec_of(const std::string& path) {
  std::vector<std::byte> first(codec::kDetectBytes);
  first.resize(base::File::open_read(path).read_at(first, 0));
  return codec::detect(first);
}

Target dataset_target(const std::string& folder, const IndexOptions& options, pipeline::Workers& workers,
                      base::Reporter& reporter) {
  Target target{.folder = folder};
  const ranks::RankShards found =
      ranks::find_rank_shards({folder}, {}, workers, reporter);  // throws Error when it is unsound
  for (std::size_t i = 0; i < found.shards.size(); ++i) {
    const ranks::RankShard& shard = found.shards[i];
    dataset::check_codec(options.kinds, shard.codec);
    target.samples += shard.load.samples;
    target.shards.push_back({.path = shard.path,
                             .name = shard.path.substr(folder.size() + 1),
                             .manifest = fmt::format("{}/{}/{}", folder, manifest::kManifestFolder,
                                                     manifest::manifest_file_name(i))});
  }
  return target;
}

/// The deepest folder that contains all of them.
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
  std::error_code unreadable;  // ignored: an unreadable file would not have been found
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

/// Adds the new files to SHA256SUMS.
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

IndexSummary summary_of(const Target& target, const dataset::WrittenIndexes& written) {
  IndexSummary summary{
      .folder = target.folder, .shards = target.shards.size(), .samples = target.samples, .files = {}};
  if (summary.samples == 0) summary.samples = written.samples;
  for (const manifest::Checksum& file : written.files) summary.files.push_back(file.path);
  return summary;
}

/// Indexes shards that shardmill did not make. The indexes go next to files that are not ours.
IndexSummary index_shards(const IndexOptions& options, pipeline::Workers& workers, base::Reporter& reporter) {
  const Target target = shard_target(options);
  dataset::check_not_in_dataset(target.folder);
  dataset::check_work_folder_is_ours(target.folder);
  const auto lock =
      base::WriterLock::acquire(target.folder + "/" + std::string(manifest::kLockFile), options.command);
  dataset::StagedFiles stage(target.folder);
  const dataset::WrittenIndexes written =
      dataset::write_index_files(options.kinds, target.shards, stage.path(), workers, reporter);
  stage.publish(written.files, {});
  return summary_of(target, written);
}

IndexSummary index_dataset(const std::string& folder, const IndexOptions& options, pipeline::Workers& workers,
                           base::Reporter& reporter) {
  dataset::check_is_finished(folder);
  const dataset::DatasetHold hold = dataset::DatasetHold::to_write(folder, options.command, reporter);
  const Target target = dataset_target(folder, options, workers, reporter);
  dataset::StagedFiles stage(folder);
  const dataset::WrittenIndexes written =
      dataset::write_index_files(options.kinds, target.shards, stage.path(), workers, reporter);
  hold.check_same();
  stage.publish(written.files, dataset::dataset_file_names(folder));
  record_checksums(folder, written.files);
  return summary_of(target, written);
}

/// Rewrites the lists of paths of a dataset that was moved, then the indexes if any are wanted.
IndexSummary relist_dataset(const std::string& folder, const IndexOptions& options,
                            pipeline::Workers& workers, base::Reporter& reporter) {
  std::vector<std::string> lists;
  {
    const dataset::DatasetHold hold = dataset::DatasetHold::to_write(folder, options.command, reporter);
    lists = dataset::relist(folder, options.list_root, workers, reporter);
  }
  IndexSummary summary{.folder = folder, .files = {}};
  if (!options.kinds.empty()) summary = index_dataset(folder, options, workers, reporter);
  summary.lists = std::move(lists);
  return summary;
}

}  // namespace

IndexSummary run_index(const IndexOptions& options, pipeline::Workers& workers, base::Reporter& reporter) {
  if (options.targets.size() != 1 || !check::is_dataset_folder(options.targets.front())) {
    if (!options.list_root.empty())
      throw UsageError("--list-root is for a dataset that shardmill made", at(options.targets.front()));
    return index_shards(options, workers, reporter);
  }
  std::string folder = options.targets.front();
  while (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
  return options.list_root.empty() ? index_dataset(folder, options, workers, reporter)
                                   : relist_dataset(folder, options, workers, reporter);
}

}  // namespace shardmill::commands
