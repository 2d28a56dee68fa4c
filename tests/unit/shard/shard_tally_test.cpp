#include "shard/shard_tally.hpp"

#include <gtest/gtest.h>

namespace shardmill::shard {
namespace {

using std::chrono::milliseconds;

TEST(ShardTally, CountsSamplesOfAllDatasets) {
  ShardTally tally{.datasets = std::vector<ShardTally::Share>(2)};
  tally.add(0, milliseconds(1500), true);
  tally.add(1, milliseconds(500), false);
  tally.add(1, milliseconds(4000), true);
  EXPECT_EQ(tally.samples(), 3u);
  EXPECT_EQ(tally.duration(), milliseconds(6000));
  EXPECT_EQ(tally.with_text, 2u);
  EXPECT_EQ(tally.shortest, milliseconds(500));
  EXPECT_EQ(tally.longest, milliseconds(4000));
  EXPECT_EQ(tally.datasets[1].samples, 2u);
  EXPECT_EQ(tally.datasets[1].duration, milliseconds(4500));
}

TEST(ShardTally, RecordsHoldSeconds) {
  EXPECT_DOUBLE_EQ(seconds(milliseconds(1250)), 1.25);
}

TEST(ShardTally, TheBalanceComparesShards) {
  std::vector<ShardTally> tallies(3, ShardTally{.datasets = std::vector<ShardTally::Share>(1)});
  tallies[0].add(0, milliseconds(2000), true);
  tallies[1].add(0, milliseconds(1000), true);
  tallies[1].add(0, milliseconds(500), true);
  tallies[2].add(0, milliseconds(4000), true);
  const manifest::DatasetRecord::Balance balance = balance_of(tallies);
  EXPECT_EQ(balance.min_samples, 1u);
  EXPECT_EQ(balance.max_samples, 2u);
  EXPECT_DOUBLE_EQ(balance.min_seconds, 1.5);
  EXPECT_DOUBLE_EQ(balance.mean_seconds, 2.5);
  EXPECT_DOUBLE_EQ(balance.max_seconds, 4);
}

// A shard that holds nothing is the shortest of all.
TEST(ShardTally, AnEmptyShardCountsForTheBalance) {
  std::vector<ShardTally> tallies(2, ShardTally{.datasets = std::vector<ShardTally::Share>(1)});
  tallies[1].add(0, milliseconds(3000), false);
  const manifest::DatasetRecord::Balance balance = balance_of(tallies);
  EXPECT_EQ(balance.min_samples, 0u);
  EXPECT_DOUBLE_EQ(balance.min_seconds, 0);
  EXPECT_DOUBLE_EQ(balance.mean_seconds, 1.5);
}

}  // namespace
}  // namespace shardmill::shard
