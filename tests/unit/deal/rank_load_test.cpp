#include "deal/rank_load.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace shardmill::deal {
namespace {

const std::vector<Load> kShards{{.shards = 1, .samples = 4, .seconds = 40, .bytes = 400},
                                {.shards = 1, .samples = 1, .seconds = 10, .bytes = 100},
                                {.shards = 1, .samples = 2, .seconds = 20, .bytes = 200},
                                {.shards = 1, .samples = 5, .seconds = 50, .bytes = 500}};

TEST(Weigh, AddsUpAndTellsWhoWaits) {
  const SplitLoad load = weigh({{{0}, {2}}, {{1}, {}}}, kShards);
  EXPECT_EQ(load.ranks[0].total.seconds, 60);
  EXPECT_EQ(load.ranks[0].total.samples, 6u);
  EXPECT_EQ(load.ranks[0].total.bytes, 600u);
  EXPECT_EQ(load.ranks[0].workers[1].seconds, 20);
  EXPECT_EQ(load.ranks[0].idle_share, 0);
  EXPECT_DOUBLE_EQ(load.ranks[1].idle_share, 50.0 / 60);
  EXPECT_EQ(load.idlest(), 1u);
  EXPECT_EQ(load.unread, ShardNumbers{3});
  EXPECT_EQ(load.workers_without_data(), 1u);
  EXPECT_EQ(load.ranks_without_data(), 0u);
}

TEST(Weigh, NobodyWaitsWhereNothingIs) {
  const SplitLoad load = weigh({{{}}, {{}}}, {});
  EXPECT_EQ(load.worst_idle_share(), 0);
  EXPECT_EQ(load.ranks_without_data(), 2u);
}

TEST(Pace, TheSlowestWorkerOfTheSlowestRankEndsTheEpoch) {
  // A worker takes 1 s for 10 s of audio; trainers take 15 s of audio a second.
  const std::vector<double> load_seconds{4, 1, 2, 5};
  const auto ranks = pace({{{0}, {2}}, {{1, 3}, {}}}, kShards, load_seconds, 15);
  EXPECT_DOUBLE_EQ(ranks[0].train_seconds, 4);
  EXPECT_DOUBLE_EQ(ranks[0].load_seconds, 4);
  EXPECT_FALSE(ranks[0].starves());
  EXPECT_DOUBLE_EQ(ranks[0].delivered, 15);
  EXPECT_DOUBLE_EQ(ranks[1].load_seconds, 6);
  EXPECT_TRUE(ranks[1].starves());
  EXPECT_DOUBLE_EQ(ranks[1].delivered, 10);
  EXPECT_DOUBLE_EQ(ranks[0].busy_share, 4.0 / 6);
  EXPECT_DOUBLE_EQ(ranks[1].busy_share, 4.0 / 6);
}

std::vector<Load> seconds_of(std::initializer_list<double> all) {
  std::vector<Load> shards;
  for (const double seconds : all) shards.push_back({.shards = 1, .samples = 1, .seconds = seconds});
  return shards;
}

// Worked out by hand: two ranks of two workers, a trainer that takes 10 seconds of audio a second.
TEST(RankPace, TheSlowestWorkerDecidesAndRanksWaitForEachOther) {
  const auto ranks = pace({{{0, 1}, {2}}, {{3}, {}}}, seconds_of({100, 100, 200, 100}),
                          std::vector<double>{10, 15, 20, 40}, 10);
  ASSERT_EQ(ranks.size(), 2u);
  EXPECT_DOUBLE_EQ(ranks[0].load_seconds, 25);   // 10 + 15, beside 20
  EXPECT_DOUBLE_EQ(ranks[0].train_seconds, 40);  // 400 / 10
  EXPECT_DOUBLE_EQ(ranks[0].delivered, 16);      // 400 / 25
  EXPECT_FALSE(ranks[0].starves());
  EXPECT_DOUBLE_EQ(ranks[1].load_seconds, 40);
  EXPECT_DOUBLE_EQ(ranks[1].train_seconds, 10);
  EXPECT_DOUBLE_EQ(ranks[1].delivered, 2.5);
  EXPECT_TRUE(ranks[1].starves());
  // The epoch takes 40 seconds: of the first rank's trainer, and of the second's worker.
  EXPECT_DOUBLE_EQ(ranks[0].busy_share, 1);
  EXPECT_DOUBLE_EQ(ranks[1].busy_share, 0.25);
}

TEST(RankPace, WithoutAudioNobodyWaits) {
  const auto ranks = pace({{{}}, {{0}}}, seconds_of({0}), std::vector<double>{0}, 10);
  for (const RankPace& rank : ranks) {
    EXPECT_EQ(rank.delivered, 0);
    EXPECT_EQ(rank.busy_share, 1);
    EXPECT_FALSE(rank.starves());
  }
}

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
