#include "ranks/shards.hpp"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>

#include "base/io/folder.hpp"
#include "base/text/units.hpp"
#include "check/inspection.hpp"
#include "check/shard_check.hpp"
#include "dataset/output_folder.hpp"
#include "dataset/records.hpp"
#include "manifest/layout.hpp"
#include "manifest/path_lists.hpp"

namespace shardmill::ranks {

namespace fs = std::filesystem;

namespace {

std::string inside(const std::string& folder, std::string_view name) {
  return folder + "/" + std::string(name);
}

RankShard shard_of(const dataset::DatasetRecords& records, const manifest::ShardRecord& record,
                   const std::string& list_root) {
  const std::string path = records.path(record.path);
  const auto codec = codec::codec_by_name(record.codec);
  if (!codec) {
    throw Error(fmt::format("names the codec '{}', which does not exist", printable(record.codec)),
                at(records.path(manifest::kShardRecords)));
  }
  std::error_code failure;
  const auto bytes = fs::file_size(path, failure);
  if (failure) {
    throw Error(base::exists(path) ? "is not a regular file" : "is missing, and shards.jsonl names it",
                at(path));
  }
  if (bytes != record.bytes) {
    throw Error(fmt::format("has {} bytes, and shards.jsonl says {}", bytes, record.bytes), at(path),
                "shardmill verify says more");
  }
  return {.path = path,
          .list_path = manifest::listed_path(list_root, record.path),
          .codec = *codec,
          .tar_bytes = record.tar_bytes,
          .load = {.shards = 1, .samples = record.samples, .seconds = record.seconds, .bytes = bytes}};
}

/// Finds manifests or durations that were edited without the rest, before training does.
void check_untouched(const dataset::DatasetRecords& records, pipeline::Workers& workers,
                     base::Reporter& reporter) {
  std::vector<std::string> names{std::string(manifest::kShardRecords), std::string(manifest::kDataset)};
  for (const manifest::ShardRecord& shard : *records.shards) {
    names.push_back(
        inside(std::string(manifest::kManifestFolder), manifest::manifest_file_name(shard.shard_id)));
  }
  reporter.phase("checking the records");
  FindingList findings;
  workers.for_each(names.size(),
                   [&](std::size_t i) { check::check_file(records, names[i], reporter, findings); });
  dataset::throw_first(findings);
}

RankShards dataset_shards(const std::string& folder, const std::string& list_root, pipeline::Workers& workers,
                          base::Reporter& reporter) {
  const dataset::DatasetRecords records = dataset::sound_records(folder);
  RankShards found{.is_dataset = true, .list_root = list_root, .shards = {}, .loads = {}};
  // The root that repack was given, or the place of the folder now.
  if (list_root.empty()) found.list_root = records.given_list_root().value_or(base::canonical(folder));
  std::uint64_t samples = 0;
  for (const manifest::ShardRecord& record : *records.shards) {
    found.shards.push_back(shard_of(records, record, found.list_root));
    samples += record.samples;
  }
  if (samples != records.dataset->samples) {
    throw Error(fmt::format("names {}, and dataset.json says {}", base::format_count(samples, "sample"),
                            base::format_count(records.dataset->samples)),
                at(records.path(manifest::kShardRecords)));
  }
  check_untouched(records, workers, reporter);
  return found;
}

std::vector<RankShard> foreign_shards(const std::vector<std::string>& sources, pipeline::Workers& workers,
                                      base::Reporter& reporter) {
  const check::InspectSummary found =
      check::inspect_sources({.sources = sources, .corpora = false}, workers, reporter);
  if (!found.unusable.empty()) throw Error(found.unusable.front());
  std::vector<RankShard> shards;
  for (const check::DatasetReport& dataset : found.datasets) {
    for (const check::ShardReport& shard : dataset.shards) {
      if (shard.issues.has(check::Severity::damage))
        reporter.warn(Error("is damaged: only what can be read of it is counted", at(shard.path),
                            "shardmill inspect says more"));
      const check::Contents& contents = shard.contents;
      shards.push_back({.path = shard.path,
                        .list_path = base::canonical(shard.path),
                        .codec = shard.codec,
                        .tar_bytes = contents.tar_bytes,
                        .load = {.shards = 1,
                                 .samples = contents.samples,
                                 .seconds = std::chrono::duration<double>(contents.duration).count(),
                                 .bytes = contents.bytes}});
    }
  }
  return shards;
}

}  // namespace

bool is_dataset(const std::string& folder) {
  return base::exists(inside(folder, manifest::kDataset)) || dataset::holds_work_of_run(folder) ||
         base::exists(inside(folder, manifest::kShardRecords));
}

RankShards find_rank_shards(const std::vector<std::string>& targets, const std::string& list_root,
                            pipeline::Workers& workers, base::Reporter& reporter) {
  RankShards found;
  if (targets.size() == 1 && is_dataset(targets.front())) {
    found = dataset_shards(targets.front(), list_root, workers, reporter);
  } else if (!list_root.empty()) {
    throw UsageError("--list-root is for datasets that shardmill made", at(targets.front()),
                     "lists of other shards name them where they are");
  } else {
    found.shards = foreign_shards(targets, workers, reporter);
  }
  for (const RankShard& shard : found.shards) found.loads.push_back(shard.load);
  return found;
}

}  // namespace shardmill::ranks
