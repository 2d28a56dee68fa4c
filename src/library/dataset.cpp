#include "shardmill/dataset.hpp"

#include "base/io/folder.hpp"
#include "base/io/line_reader.hpp"
#include "base/text/json_reader.hpp"
#include "dataset/records.hpp"
#include "library/observing.hpp"
#include "manifest/layout.hpp"
#include "manifest/sample_record.hpp"
#include "pipeline/workers.hpp"
#include "ranks/ranks.hpp"
#include "shardmill/ranks.hpp"

namespace shardmill {

namespace {

void fill(SampleInfo& info, const manifest::SampleRecord& record, std::string_view line) {
  info.key = record.key;
  info.dataset = record.dataset;
  info.text = record.text.value_or("");
  info.member_name = record.audio_filepath;
  info.shard = record.shard_id;
  info.tar_offset = record.tar_offset;
  info.audio_bytes = record.audio_bytes;
  info.seconds = record.duration_seconds;
  info.sample_rate = record.audio.sample_rate;
  info.channels = record.audio.channels;
  info.json = line;
}

}  // namespace

Dataset open_dataset(const std::string& folder) {
  const dataset::DatasetRecords records =
      library::with_errors([&] { return dataset::sound_records(folder); });
  Dataset result{.folder = folder,
                 .samples = records.dataset->samples,
                 .seconds = records.dataset->seconds,
                 .shards = {}};
  for (const manifest::ShardRecord& shard : *records.shards) {
    result.shards.push_back({.path = shard.path,
                             .manifest_path = manifest::manifest_path(shard.shard_id),
                             .samples = shard.samples,
                             .seconds = shard.seconds,
                             .bytes = shard.bytes,
                             .codec = shard.codec,
                             .sha256 = shard.sha256});
  }
  return result;
}

void read_manifests(const Dataset& dataset, const std::function<bool(const SampleInfo&)>& callback) {
  library::with_errors([&] {
    base::JsonParser parser;
    manifest::SampleRecord record;
    SampleInfo info;
    for (const ShardInfo& shard : dataset.shards) {
      base::LineReader lines(base::inside(dataset.folder, shard.manifest_path));
      std::string_view line;
      while (lines.next(line)) {
        try {
          read_record(parser.parse(line), record);
        } catch (const Error& error) {
          throw lines.here(error);
        }
        fill(info, record, line);
        if (!callback(info)) return;
      }
    }
  });
}

namespace {

ranks::RanksOptions internal(const RanksOptions& options) {
  if (options.targets.empty()) throw UsageError("no dataset and no shard is given");
  if (options.world_size == 0 || options.workers == 0)
    throw UsageError("world_size and workers are at least 1");
  const auto loader = deal::loader_by_name(options.loader);
  if (!loader)
    throw UsageError("no loader is called '" + options.loader + "'", {},
                     "wenet, wenet-old, webdataset, nemo or lhotse");
  ranks::RanksOptions result;
  result.targets = options.targets;
  result.world_sizes = {options.world_size};
  result.workers = options.workers;
  result.loaders = {*loader};
  result.epochs = options.epochs;
  result.seed = options.seed;
  result.out_folder = options.out_folder;
  result.dry_run = options.out_folder.empty();
  result.command = "shardmill library";
  return result;
}

std::vector<RankShare> shares_of(const deal::SplitLoad& load) {
  std::vector<RankShare> shares;
  for (const deal::RankLoad& rank : load.ranks) {
    shares.push_back({.shards = rank.total.shards,
                      .samples = rank.total.samples,
                      .seconds = rank.total.seconds,
                      .idle_share = rank.idle_share});
  }
  return shares;
}

std::vector<std::string> paths_of(const deal::ShardNumbers& numbers, const ranks::RankShards& shards) {
  std::vector<std::string> paths;
  for (const std::size_t number : numbers) paths.push_back(shards.shards[number].path);
  return paths;
}

}  // namespace

RanksSummary run_ranks(const RanksOptions& options, Observer& observer) {
  library::ObservingReporter reporter(observer);
  pipeline::Workers workers(library::threads_of(options.limits), options.limits.memory_bytes);
  const ranks::RanksSummary found =
      library::with_errors([&] { return ranks::run_ranks(internal(options), workers, reporter); });
  const ranks::WorldReport& world = found.worlds.front();
  const deal::SplitLoad& by_loader = world.loaders.front().load;
  RanksSummary summary{.by_loader = shares_of(by_loader),
                       .unread_shards = by_loader.unread.size(),
                       .by_plan = shares_of(world.plan),
                       .plan = {}};
  for (const std::vector<deal::ShardNumbers>& rank : world.plan_split) {
    std::vector<std::vector<std::string>>& workers_of_rank = summary.plan.emplace_back();
    for (const deal::ShardNumbers& worker : rank) workers_of_rank.push_back(paths_of(worker, found.shards));
  }
  return summary;
}

}  // namespace shardmill
