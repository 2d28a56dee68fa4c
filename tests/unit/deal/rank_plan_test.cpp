#include "deal/rank_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace shardmill::deal {
namespace {

std::vector<Load> loads_of(const std::vector<double>& seconds) {
  std::vector<Load> shards;
  for (const double each : seconds)
    shards.push_back({.shards = 1, .samples = 10, .seconds = each, .bytes = 100});
  return shards;
}

std::vector<Load> random_shards(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> seconds(1, 100);
  std::vector<double> all(count);
  for (double& each : all) each = seconds(random);
  return loads_of(all);
}

/// Every shard must be there once, and each rank's list must split into its workers' shards.
void expect_sound(const Split& ranks, std::size_t shards, const Team& team) {
  ShardNumbers all;
  ASSERT_EQ(ranks.size(), team.world_size);
  for (const auto& workers : ranks) {
    const ShardNumbers list = rank_list(workers);
    EXPECT_EQ(split_among_workers(list, team), workers);
    EXPECT_FALSE(list.empty());
    all.insert(all.end(), list.begin(), list.end());
  }
  std::sort(all.begin(), all.end());
  EXPECT_EQ(all, list_order(shards));
}

TEST(EvenSplit, TakesEachShardOnceWhateverTheTeam) {
  for (std::size_t shards = 1; shards < 40; ++shards) {
    const auto loads = random_shards(shards, static_cast<unsigned>(shards));
    for (std::size_t ranks = 1; ranks <= shards; ranks += 2) {
      for (const std::size_t workers : {1u, 2u, 5u}) {
        const Team team{.world_size = ranks, .workers = workers};
        expect_sound(even_split(loads, team), shards, team);
      }
    }
  }
}

TEST(EvenSplit, CountsAreEqualWhereTheyCanBe) {
  const auto loads = random_shards(48, 1);
  const SplitLoad load = weigh(even_split(loads, {.world_size = 8, .workers = 3}), loads);
  for (const RankLoad& rank : load.ranks) {
    EXPECT_EQ(rank.total.shards, 6u);
    for (const Load& worker : rank.workers) EXPECT_EQ(worker.shards, 2u);
  }
  EXPECT_LT(load.worst_idle_share(), 0.01);
}

TEST(EvenSplit, FindsTheOneEvenDeal) {
  const auto loads = loads_of({1, 2, 3, 4, 5, 6, 7, 8});
  for (const RankLoad& rank : weigh(even_split(loads, {.world_size = 4}), loads).ranks) {
    EXPECT_EQ(rank.total.seconds, 9);
  }
}

TEST(EvenSplit, TimeDecidesWhereTheNumberDoesNotDivide) {
  const auto loads = loads_of({9, 3, 3, 3, 9});
  for (const RankLoad& rank : weigh(even_split(loads, {.world_size = 3}), loads).ranks) {
    EXPECT_EQ(rank.total.seconds, 9);
  }
}

TEST(EvenSplit, ShardsWithoutAudioGoToEveryRank) {
  const auto loads = loads_of({0, 0, 0, 0, 0});
  expect_sound(even_split(loads, {.world_size = 5}), 5, {.world_size = 5});
}

TEST(EvenSplit, ManyShardsAreDealtAtOnce) {
  const auto loads = random_shards(10'000, 3);
  const SplitLoad load = weigh(even_split(loads, {.world_size = 7, .workers = 4}), loads);
  EXPECT_LT(load.worst_idle_share(), 1e-4);
}

}  // namespace
}  // namespace shardmill::deal
