#include "deal/rank_load.hpp"

#include <gtest/gtest.h>

#include "deal/rank_pace.hpp"

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

}  // namespace
}  // namespace shardmill::deal
