#include "commands/ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "dataset/hold.hpp"
#include "dataset/rank_lists.hpp"
#include "dataset/records.hpp"
#include "deal/rank_plan.hpp"
#include "manifest/layout.hpp"
#include "ranks/durations.hpp"
#include "ranks/lists.hpp"

namespace shardmill::commands {

namespace {

void check_world_sizes(const ranks::RanksOptions& options, std::size_t shards) {
  for (const std::size_t size : options.world_sizes) {
    if (size <= shards) continue;
    throw UsageError(
        fmt::format("world size {} is more than there are shards: {}", size, shards),
        at(options.targets.front()),
        fmt::format(
            "ranks without a shard have nothing to do; shardmill repack --multiple-of {} makes enough",
            size * options.workers));
  }
}

/// The orders in which a loader reads the shards, one for each epoch.
struct Epochs {
  deal::Loader loader{};
  std::vector<deal::ShardNumbers> orders;
  bool shuffled = false;
};

Epochs epochs_of(deal::Loader loader, std::size_t shards, const ranks::RanksOptions& options) {
  Epochs epochs{.loader = loader, .orders = {}, .shuffled = false};
  if (options.epochs == 0 || !deal::shuffles_before_split(loader)) {
    epochs.orders.push_back(deal::list_order(shards));
    return epochs;
  }
  epochs.shuffled = true;
  for (std::uint64_t epoch = 0; epoch < options.epochs; ++epoch) {
    epochs.orders.push_back(deal::epoch_order(loader, shards, options.seed, epoch));
  }
  return epochs;
}

std::vector<deal::RankPace> pace_of(const deal::Split& split, const ranks::RanksSummary& summary) {
  if (!summary.supply) return {};
  return deal::pace(split, summary.shards.loads, summary.supply->shard_load_seconds, summary.supply->needed);
}

ranks::LoaderReport worst_epoch(const Epochs& epochs, const deal::Team& team,
                                const ranks::RanksSummary& summary) {
  ranks::LoaderReport worst{.loader = epochs.loader, .load = {}};
  for (std::size_t epoch = 0; epoch < epochs.orders.size(); ++epoch) {
    const deal::Split split = deal::split(epochs.loader, epochs.orders[epoch], team);
    deal::SplitLoad load = deal::weigh(split, summary.shards.loads);
    if (epoch != 0 && load.worst_idle_share() <= worst.load.worst_idle_share()) continue;
    worst.load = std::move(load);
    worst.pace = pace_of(split, summary);
    if (epochs.shuffled) worst.epoch = epoch;
  }
  return worst;
}

ranks::WorldReport report_of(const deal::Team& team, const std::vector<Epochs>& loaders,
                             const ranks::RanksSummary& summary) {
  ranks::WorldReport world{.team = team, .loaders = {}, .plan_split = {}, .plan = {}};
  for (const Epochs& epochs : loaders) world.loaders.push_back(worst_epoch(epochs, team, summary));
  world.plan_split = deal::even_split(summary.shards.loads, team);
  world.plan = deal::weigh(world.plan_split, summary.shards.loads);
  world.plan_pace = pace_of(world.plan_split, summary);
  return world;
}

/// The smallest number that every team divides; 0 when it is too large to be useful.
std::uint64_t common_multiple(const ranks::RanksOptions& options) {
  constexpr std::uint64_t kLargest = 1'000'000'000;
  std::uint64_t multiple = 1;
  for (const std::size_t size : options.world_sizes) {
    multiple = std::lcm(multiple, std::uint64_t{size} * options.workers);
    if (multiple > kLargest) return 0;
  }
  return multiple;
}

/// All world sizes by which the shards can be divided.
std::vector<std::size_t> even_world_sizes(std::size_t shards, std::size_t workers) {
  std::vector<std::size_t> sizes;
  for (std::size_t size = 1; size * workers <= shards; ++size) {
    if (shards % (size * workers) == 0) sizes.push_back(size);
  }
  return sizes;
}

std::string folder_for(const ranks::RanksOptions& options, const ranks::RanksSummary& summary) {
  if (!options.out_folder.empty()) return options.out_folder;
  if (!summary.shards.is_dataset) return {};
  return options.targets.front() + "/" + std::string(manifest::kRankFolder);
}

void add_bins(const ranks::RanksOptions& options, pipeline::Workers& workers, base::Reporter& reporter,
              ranks::RanksSummary& summary) {
  if (options.buckets == 0) return;
  if (!summary.shards.is_dataset)
    throw UsageError("duration bins come from the manifests, which these shards do not have",
                     at(options.targets.front()), "shardmill repack writes them");
  const std::vector<double> seconds =
      ranks::sample_seconds(options.targets.front(), summary.shards.shards.size(), workers, reporter);
  if (options.buckets > seconds.size())
    throw UsageError(
        fmt::format("{} buckets are more than there are samples: {}", options.buckets, seconds.size()),
        at(options.targets.front()));
  summary.duration_bins = deal::duration_bins(seconds, options.buckets);
  summary.bucket_shares = deal::bucket_shares(seconds, summary.duration_bins);
}

/// Locks the dataset against changes, if there is one.
std::optional<dataset::DatasetHold> hold_dataset(const ranks::RanksOptions& options,
                                                 base::Reporter& reporter) {
  if (options.targets.size() != 1 || !ranks::is_dataset(options.targets.front())) return std::nullopt;
  const std::string& folder = options.targets.front();
  dataset::check_is_finished(folder);
  const bool writes_into_it = options.out_folder.empty() && !options.dry_run;
  return writes_into_it ? dataset::DatasetHold::to_write(folder, options.command, reporter)
                        : dataset::DatasetHold::to_read(folder);
}

void write_lists(const ranks::RanksOptions& options, const std::optional<dataset::DatasetHold>& hold,
                 ranks::RanksSummary& summary) {
  const std::string folder = folder_for(options, summary);
  if (folder.empty()) return;
  const dataset::RankFiles files = ranks::rank_files_of(summary);
  dataset::check_rank_folder(folder, files);
  if (hold) hold->check_same();
  if (options.dry_run) return;
  dataset::write_rank_files(folder, files);
  summary.out_folder = folder;
}

}  // namespace

ranks::RanksSummary run_ranks(const ranks::RanksOptions& options, pipeline::Workers& workers,
                              base::Reporter& reporter) {
  ranks::RanksSummary summary;
  const std::optional<dataset::DatasetHold> hold = hold_dataset(options, reporter);
  summary.shards = ranks::find_rank_shards(options.targets, options.list_root, workers, reporter);
  summary.total = deal::sum(summary.shards.loads);
  check_world_sizes(options, summary.shards.loads.size());
  add_bins(options, workers, reporter, summary);
  if (options.needed) {
    summary.supply = options.worker_speed
                         ? ranks::given_supply(summary.shards, *options.needed, *options.worker_speed)
                         : ranks::measured_supply(summary.shards, *options.needed, workers, reporter);
  }
  std::vector<Epochs> loaders;
  for (const deal::Loader loader : options.loaders) {
    loaders.push_back(epochs_of(loader, summary.shards.loads.size(), options));
  }
  for (const std::size_t size : options.world_sizes) {
    reporter.check_stop();
    summary.worlds.push_back(report_of({.world_size = size, .workers = options.workers}, loaders, summary));
  }
  summary.even_world_sizes = even_world_sizes(summary.shards.loads.size(), options.workers);
  summary.multiple_of = common_multiple(options);
  write_lists(options, hold, summary);
  return summary;
}

}  // namespace shardmill::commands
