#include "update/pool.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace shardmill::update {
namespace {

using namespace std::chrono_literals;
using deal::HeldSample;

OldShard shard_of(std::vector<std::uint64_t> counts, Duration time) {
  return {.counts = std::move(counts), .time = time};
}

/// `count` free samples of a dataset.
std::vector<HeldSample> free_samples(std::size_t count, Duration duration, std::uint32_t dataset = 0) {
  return std::vector<HeldSample>(count, {.dataset = dataset, .duration = duration});
}

TEST(Pool, ToleranceIsTenMillisecondsOrAHundredThousandth) {
  EXPECT_EQ(tolerance(60s), 10ms);
  EXPECT_EQ(tolerance(10000s), 100ms);
}

TEST(Pool, TellsTheOpenedShardsFromThoseThatStay) {
  const std::vector<OldShard> old{shard_of({3, 1}, 40s), shard_of({2, 2}, 44s), shard_of({2, 1}, 30s)};
  const Wishes wishes{.mix = Wishes::Mix::kept};
  const Pools pools(old, free_samples(1, 10s), wishes);
  const Pool pool = pools.pool({1}, 1);
  EXPECT_EQ(pool.shards(), 2U);
  EXPECT_EQ(pool.counts, (std::vector<std::uint64_t>{2, 2}));
  EXPECT_EQ(pool.time, 44s);
  ASSERT_TRUE(pool.closed);
  EXPECT_EQ(pool.closed->fewest, (std::vector<std::uint64_t>{2, 1}));
  EXPECT_EQ(pool.closed->most, (std::vector<std::uint64_t>{3, 1}));
  EXPECT_EQ(pool.closed->fewest_in_all, 3U);
  EXPECT_EQ(pool.closed->most_in_all, 4U);
  EXPECT_EQ(pool.closed->least, 30s);
  EXPECT_EQ(pool.closed->longest, 40s);
  EXPECT_EQ(pool.closed->mean, 35s);
  EXPECT_FALSE(pools.pool({0, 1, 2}, 0).closed);
}

TEST(Pool, AsManyShardsAreAddedAsTheFreeSamplesFill) {
  const std::vector<OldShard> old(4, shard_of({10}, 100s));
  const Wishes wishes;
  EXPECT_EQ(Pools(old, free_samples(30, 10s), wishes).most_added({}), 3U);
  EXPECT_EQ(Pools(old, free_samples(29, 10s), wishes).most_added({}), 2U);
  EXPECT_EQ(Pools(old, free_samples(9, 10s), wishes).most_added({}), 0U);
}

TEST(Pool, ShardsThatLostSamplesAreFilledFirst) {
  std::vector<OldShard> old(4, shard_of({10}, 100s));
  old[2] = shard_of({5}, 50s);
  const Wishes wishes;
  const std::vector<std::uint32_t> lost{2};
  EXPECT_EQ(Pools(old, free_samples(14, 10s), wishes).most_added(lost), 0U);
  const Pools pools(old, free_samples(15, 10s), wishes);
  EXPECT_EQ(pools.most_added(lost), 1U);
  const auto counts = pools.counts_for(pools.pool({2}, 1));
  ASSERT_TRUE(counts);
  EXPECT_EQ(*counts, (std::vector<std::uint64_t>{15}));
}

TEST(Pool, NoCountsIfTheSamplesAreTooFewOrTooLong) {
  const std::vector<OldShard> old(4, shard_of({10}, 100s));
  const Wishes wishes;
  const Pools few(old, free_samples(3, 10s), wishes);
  EXPECT_FALSE(few.counts_for(few.pool({}, 1)));
  const Pools long_ones(old, free_samples(10, 20s), wishes);
  EXPECT_FALSE(long_ones.counts_for(long_ones.pool({}, 1)));
  EXPECT_TRUE(long_ones.counts_for(long_ones.pool({}, 1), Pools::Time::may_differ));
  EXPECT_TRUE(long_ones.are_free_samples_longer());
}

TEST(Pool, PicksFreeSamplesThatLastAsLongAsOtherShards) {
  const std::vector<OldShard> old(4, shard_of({10}, 100s));
  std::vector<HeldSample> free = free_samples(10, 5s);
  for (const HeldSample& sample : free_samples(10, 15s)) free.push_back(sample);
  const Wishes wishes;
  const Pools pools(old, free, wishes);
  const Pool pool = pools.pool({}, 1);
  std::uint64_t moves = 0;
  const std::vector<bool> chosen = pools.pick(pool, {10}, moves);
  ASSERT_EQ(std::count(chosen.begin(), chosen.end(), true), 10);
  Duration time{};
  std::vector<HeldSample> held;
  for (std::size_t i = 0; i < free.size(); ++i) {
    if (!chosen[i]) continue;
    time += free[i].duration;
    held.push_back(free[i]);
  }
  EXPECT_EQ(time, 100s);
  EXPECT_TRUE(pools.fits(pool, held, std::vector<std::uint32_t>(held.size(), 0), Pools::Time::must_fit));
}

TEST(Pool, ADealFitsOnlyWithLikeCountsAndTimes) {
  const std::vector<OldShard> old(3, shard_of({2}, 20s));
  const Wishes wishes;
  const std::vector<HeldSample> held = free_samples(4, 10s);
  const Pools pools(old, held, wishes);
  const Pool pool = pools.pool({}, 2);
  EXPECT_TRUE(pools.fits(pool, held, std::vector<std::uint32_t>{0, 0, 1, 1}, Pools::Time::must_fit));
  EXPECT_FALSE(pools.fits(pool, held, std::vector<std::uint32_t>{0, 0, 0, 0}, Pools::Time::may_differ));
  EXPECT_FALSE(pools.fits(pool, held, std::vector<std::uint32_t>{0, 0, 0, 1}, Pools::Time::must_fit));
}

}  // namespace
}  // namespace shardmill::update
