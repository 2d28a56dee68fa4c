#include "deal/rank_pace.hpp"

#include <gtest/gtest.h>

namespace shardmill::deal {
namespace {

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
