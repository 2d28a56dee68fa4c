#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/error.hpp"
#include "deal/rank_load.hpp"
#include "manifest/layout.hpp"
#include "manifest/rank_plan_record.hpp"
#include "ranks/ranks.hpp"

namespace shardmill::ranks {

namespace {

/// The orders in which a loader reads the shards, one for each epoch.
struct Epochs {
  deal::Loader loader{};
  std::vector<deal::ShardNumbers> orders;
  bool shuffled = false;
};

Epochs epochs_of(deal::Loader loader, std::size_t shards, const RanksOptions& options) {
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

std::vector<deal::RankPace> pace_of(const deal::Split& split, const RanksSummary& summary) {
  if (!summary.supply) return {};
  return deal::pace(split, summary.shards.loads, summary.supply->shard_load_seconds, summary.supply->needed);
}

LoaderReport worst_epoch(const Epochs& epochs, const deal::Team& team, const RanksSummary& summary) {
  LoaderReport worst{.loader = epochs.loader, .load = {}};
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

/// With many samples, epochs differ little.
std::uint64_t epochs_to_count(const RanksOptions& options, const RanksSummary& summary) {
  constexpr std::uint64_t kSamplesEnough = 50'000'000;
  constexpr std::uint64_t kFewestEpochs = 3;
  std::uint64_t samples = 0;
  for (const auto& shard : summary.lengths) samples += shard.size();
  if (!options.fewer_epochs_will_do) return options.epochs;
  return std::min(options.epochs,
                  std::max(kFewestEpochs, kSamplesEnough / std::max<std::uint64_t>(samples, 1)));
}

std::optional<StepsReport> steps_of(const Epochs& epochs, const deal::Team& team, const RanksOptions& options,
                                    const RanksSummary& summary, pipeline::Workers& workers,
                                    base::Reporter& reporter) {
  if (!summary.batching || !deal::can_batch(epochs.loader, summary.batching->by)) return std::nullopt;
  return count_steps({.loader = epochs.loader,
                      .team = team,
                      .orders = epochs.orders,
                      .epochs = epochs_to_count(options, summary),
                      .seed = options.seed,
                      .lengths = summary.lengths,
                      .batching = *summary.batching},
                     workers, reporter);
}

WorldReport report_of(const deal::Team& team, const std::vector<Epochs>& loaders, const RanksOptions& options,
                      const RanksSummary& summary, pipeline::Workers& workers, base::Reporter& reporter) {
  WorldReport world{.team = team, .loaders = {}, .plan_split = {}, .plan = {}};
  for (const Epochs& epochs : loaders) {
    world.loaders.push_back(worst_epoch(epochs, team, summary));
    world.loaders.back().steps = steps_of(epochs, team, options, summary, workers, reporter);
  }
  world.plan_split = deal::even_split(summary.shards.loads, team);
  world.plan = deal::weigh(world.plan_split, summary.shards.loads);
  world.plan_pace = pace_of(world.plan_split, summary);
  return world;
}

}  // namespace

void check_world_sizes(const RanksOptions& options, std::size_t shards) {
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

std::vector<WorldReport> world_reports(const RanksOptions& options, const RanksSummary& summary,
                                       pipeline::Workers& workers, base::Reporter& reporter) {
  const std::size_t shards = summary.shards.loads.size();
  std::vector<Epochs> loaders;
  for (const deal::Loader loader : options.loaders) loaders.push_back(epochs_of(loader, shards, options));
  std::vector<WorldReport> worlds;
  for (const std::size_t size : options.world_sizes) {
    reporter.check_stop();
    worlds.push_back(report_of({.world_size = size, .workers = options.workers}, loaders, options, summary,
                               workers, reporter));
  }
  return worlds;
}

std::uint64_t common_multiple(const RanksOptions& options) {
  constexpr std::uint64_t kLargest = 1'000'000'000;
  std::uint64_t multiple = 1;
  for (const std::size_t size : options.world_sizes) {
    multiple = std::lcm(multiple, std::uint64_t{size} * options.workers);
    if (multiple > kLargest) return 0;
  }
  return multiple;
}

std::vector<std::size_t> even_world_sizes(std::size_t shards, std::size_t workers) {
  std::vector<std::size_t> sizes;
  for (std::size_t size = 1; size * workers <= shards; ++size) {
    if (shards % (size * workers) == 0) sizes.push_back(size);
  }
  return sizes;
}

namespace {

std::string list_text(const RankShards& shards, const deal::ShardNumbers& numbers) {
  std::string text;
  for (const std::size_t number : numbers) {
    const std::string& path = shards.shards[number].list_path;
    if (printable(path) != path) {
      throw Error("a list of paths cannot hold control characters", at(path), "rename the file or folder");
    }
    text += path + "\n";
  }
  return text;
}

/// All shards, ordered so that a stride gives each rank its list; empty if their number cannot be divided.
deal::ShardNumbers strided_order(const std::vector<deal::ShardNumbers>& rank_lists) {
  const std::size_t turns = rank_lists.front().size();
  deal::ShardNumbers order;
  for (std::size_t turn = 0; turn < turns; ++turn) {
    for (const deal::ShardNumbers& list : rank_lists) {
      if (list.size() != turns) return {};
      order.push_back(list[turn]);
    }
  }
  return order;
}

manifest::RankPlanRecord::World add_world(const WorldReport& world, const RankShards& shards,
                                          dataset::RankFiles& texts) {
  const std::size_t size = world.team.world_size;
  manifest::RankPlanRecord::World record{.world_size = size, .idle_share = world.plan.worst_idle_share()};
  std::vector<deal::ShardNumbers> lists;
  for (std::size_t rank = 0; rank < size; ++rank) {
    const std::string name = manifest::rank_list_name(size, rank);
    lists.push_back(deal::rank_list(world.plan_split[rank]));
    texts[name] = list_text(shards, lists.back());
    const deal::Load& load = world.plan.ranks[rank].total;
    record.ranks.push_back({.list = name,
                            .shards = load.shards,
                            .samples = load.samples,
                            .seconds = load.seconds,
                            .bytes = load.bytes});
  }
  const std::string strided = manifest::strided_list_name(size);
  if (const deal::ShardNumbers order = strided_order(lists); !order.empty()) {
    texts[strided] = list_text(shards, order);
    record.strided_list = strided;
  }
  return record;
}

}  // namespace

dataset::RankFiles rank_files_of(const RanksSummary& summary) {
  manifest::RankPlanRecord record{.shards = summary.total.shards,
                                  .samples = summary.total.samples,
                                  .seconds = summary.total.seconds,
                                  .workers = summary.worlds.front().team.workers,
                                  .list_root = summary.shards.list_root};
  dataset::RankFiles texts;
  for (const WorldReport& world : summary.worlds)
    record.worlds.push_back(add_world(world, summary.shards, texts));
  texts[std::string(manifest::kRankPlan)] = to_json(record);
  return texts;
}

}  // namespace shardmill::ranks
