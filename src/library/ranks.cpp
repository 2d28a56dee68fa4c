#include "shardmill/ranks.hpp"

#include "library/observing.hpp"
#include "pipeline/workers.hpp"
#include "ranks/ranks.hpp"

namespace shardmill {

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
