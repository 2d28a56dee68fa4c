#include "deal/rank_load.hpp"

#include <gtest/gtest.h>

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

}  // namespace

}  // namespace shardmill::deal
