#include "shard/shard_tally.hpp"

#include <gtest/gtest.h>

namespace shardmill::shard {
namespace {

using namespace std::chrono_literals;

ShardTally tally_of(std::size_t datasets) {
  ShardTally tally;
  tally.datasets.resize(datasets);
  return tally;
}

TEST(ShardTallyTest, CountsByDatasetAndInAll) {
  ShardTally tally = tally_of(2);
  tally.add(0, 2s, true);
  tally.add(1, 500ms, false);
  tally.add(1, 3s, true);
  EXPECT_EQ(tally.samples(), 3U);
  EXPECT_EQ(tally.duration(), 5500ms);
  EXPECT_EQ(tally.datasets[0].samples, 1U);
  EXPECT_EQ(tally.datasets[1].samples, 2U);
  EXPECT_EQ(tally.datasets[1].duration, 3500ms);
  EXPECT_EQ(tally.with_text, 2U);
  EXPECT_EQ(tally.shortest, 500ms);
  EXPECT_EQ(tally.longest, 3s);
}

TEST(ShardTallyTest, SecondsAreThoseOfTheRecords) {
  EXPECT_EQ(seconds(0ns), 0);
  EXPECT_EQ(seconds(1ns), 1e-9);
  EXPECT_EQ(seconds(90min), 5400);
}

TEST(BalanceOfTallies, IsThatOfTheFullestAndTheEmptiest) {
  std::vector<ShardTally> tallies(3, tally_of(2));
  tallies[0].add(0, 4s, false);
  tallies[1].add(0, 1s, false);
  tallies[1].add(1, 1s, false);
  tallies[2].add(1, 6s, false);
  const auto balance = balance_of(tallies);
  EXPECT_EQ(balance.min_samples, 1U);
  EXPECT_EQ(balance.max_samples, 2U);
  EXPECT_EQ(balance.min_seconds, 2);
  EXPECT_EQ(balance.mean_seconds, 4);
  EXPECT_EQ(balance.max_seconds, 6);
}

TEST(BalanceOfTallies, AShardWithoutSamplesCounts) {
  std::vector<ShardTally> tallies(2, tally_of(1));
  tallies[0].add(0, 4s, false);
  EXPECT_EQ(balance_of(tallies).min_samples, 0U);
  EXPECT_EQ(balance_of(tallies).min_seconds, 0);
  EXPECT_EQ(balance_of(tallies).mean_seconds, 2);
}

}  // namespace
}  // namespace shardmill::shard
