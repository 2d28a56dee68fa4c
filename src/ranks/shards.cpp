#include "ranks/shards.hpp"

#include <chrono>

#include "base/io/folder.hpp"
#include "check/dataset_check.hpp"
#include "check/inspection.hpp"
#include "dataset/output_folder.hpp"
#include "manifest/layout.hpp"

namespace shardmill::ranks {

namespace {

RankShard rank_shard(const check::SoundShard& shard, const std::string& list_root) {
  const manifest::ShardRecord& record = shard.record;
  return {.path = shard.path,
          .list_path = manifest::listed_path(list_root, record.path),
          .codec = shard.codec,
          .tar_bytes = record.tar_bytes,
          .load = {.shards = 1, .samples = record.samples, .seconds = record.seconds, .bytes = record.bytes}};
}

RankShards dataset_shards(const std::string& folder, const std::string& list_root, pipeline::Workers& workers,
                          base::Reporter& reporter) {
  const base::ListedFolder listed(folder);
  const check::SoundDataset dataset = check::sound_dataset(folder, workers, reporter);
  RankShards found{.is_dataset = true, .list_root = list_root, .shards = {}, .loads = {}};
  // The root given to repack, or the current place of the folder.
  if (list_root.empty())
    found.list_root = dataset.records.given_list_root().value_or(base::canonical(folder));
  for (const check::SoundShard& shard : dataset.shards)
    found.shards.push_back(rank_shard(shard, found.list_root));
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
        reporter.warn(Error("is damaged: only its readable part is counted", at(shard.path),
                            "shardmill inspect lists the damage"));
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
  return base::exists(base::inside(folder, manifest::kDataset)) || dataset::holds_work_of_run(folder) ||
         base::exists(base::inside(folder, manifest::kShardRecords));
}

RankShards find_rank_shards(const std::vector<std::string>& targets, const std::string& list_root,
                            pipeline::Workers& workers, base::Reporter& reporter) {
  RankShards found;
  if (targets.size() == 1 && is_dataset(targets.front())) {
    found = dataset_shards(targets.front(), list_root, workers, reporter);
  } else if (!list_root.empty()) {
    throw UsageError("is not a dataset of shardmill, so its lists cannot have another root",
                     at(targets.front()), "lists of other shards have their current paths");
  } else {
    found.shards = foreign_shards(targets, workers, reporter);
  }
  for (const RankShard& shard : found.shards) found.loads.push_back(shard.load);
  return found;
}

}  // namespace shardmill::ranks
