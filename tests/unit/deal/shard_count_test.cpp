#include "deal/shard_count.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace shardmill::deal {
namespace {

using By = ShardSizing::By;
constexpr InputEstimate kInput{.samples = 10'000, .seconds = 45'000, .bytes = 1'440'000'000};

TEST(ShardCount, divides_the_estimate_to_the_nearest) {
  EXPECT_EQ(shard_count({}, kInput), 10U);
  EXPECT_EQ(shard_count({By::seconds, 3600}, kInput), 13U);        // 12.5
  EXPECT_EQ(shard_count({By::seconds, 3601}, kInput), 12U);        // 12.497
  EXPECT_EQ(shard_count({By::bytes, 1'000'000'000}, kInput), 1U);  // 1.44
  EXPECT_EQ(shard_count({By::samples, 300}, kInput), 33U);
}

TEST(ShardCount, takes_a_given_number_as_it_is) {
  EXPECT_EQ(shard_count({By::shards, 64}, kInput), 64U);
  EXPECT_EQ(shard_count({By::shards, 64}, {}), 64U);
}

TEST(ShardCount, rounds_to_the_nearest_multiple_but_at_least_one) {
  EXPECT_EQ(shard_count({By::shards, 35, 32}, kInput), 32U);
  EXPECT_EQ(shard_count({By::shards, 48, 32}, kInput), 64U);
  EXPECT_EQ(shard_count({By::shards, 47, 32}, kInput), 32U);
  EXPECT_EQ(shard_count({By::shards, 1, 32}, kInput), 32U);
  EXPECT_EQ(shard_count({By::samples, 1000, 8}, kInput), 8U);
  EXPECT_EQ(shard_count({By::samples, 1000, 4}, kInput), 12U);
}

TEST(ShardCount, is_never_more_than_the_samples_where_that_can_be_avoided) {
  EXPECT_EQ(shard_count({By::bytes, 1}, kInput), 10'000U);
  EXPECT_EQ(shard_count({By::bytes, 1, 64}, kInput), 9'984U);
  EXPECT_EQ(shard_count({By::seconds, 1, 64}, {.samples = 100, .seconds = 450}), 64U);
  EXPECT_EQ(shard_count({By::seconds, 1, 64}, {.samples = 3, .seconds = 450}), 64U);
}

TEST(ShardCount, is_at_least_one) {
  EXPECT_EQ(shard_count({}, {}), 1U);
  EXPECT_EQ(shard_count({By::seconds, 3600}, {.samples = 1, .seconds = 1}), 1U);
  EXPECT_EQ(shard_count({By::seconds, std::numeric_limits<std::uint64_t>::max()}, kInput), 1U);
}

constexpr std::uint64_t kSampleBytes = 130'000;  // four seconds of 16 kHz audio
constexpr Team kEightByFour{.world_size = 8, .workers = 4};

InputEstimate gigabytes(std::uint64_t count) {
  const std::uint64_t bytes = count * 1'000'000'000;
  return {.samples = bytes / kSampleBytes, .seconds = bytes / 32'000, .bytes = bytes};
}

TEST(ShardAdvice, IsAMultipleOfAllWorkers) {
  for (const std::uint64_t count : {1U, 3U, 10U, 32U, 100U, 1000U, 10'000U}) {
    const ShardAdvice advice = advise_shards(gigabytes(count), kEightByFour);
    EXPECT_EQ(advice.shards % 32, 0) << count;
    EXPECT_EQ(advice.per_worker * 32, advice.shards) << count;
    EXPECT_EQ(judge_shards(gigabytes(count), advice.shards, kEightByFour).idle_share, 0) << count;
    EXPECT_FALSE(judge_shards(gigabytes(count), advice.shards, kEightByFour).is_small) << count;
  }
}

TEST(ShardAdvice, MakesShardsOfHalfAGigabyteWhereThereIsEnough) {
  const ShardAdvice advice = advise_shards(gigabytes(1000), kEightByFour);
  EXPECT_EQ(advice.shards, 63 * 32);
  EXPECT_NEAR(static_cast<double>(advice.shard_bytes), 500e6, 10e6);
  EXPECT_NEAR(static_cast<double>(advice.buffer_bytes), 200e6, 1e6);
  EXPECT_LT(advice.shuffle_buffer, advice.shard_samples);
  EXPECT_EQ(advice.fewer_workers, 0);
}

TEST(ShardAdvice, LeavesEachWorkerSomeToShuffle) {
  EXPECT_EQ(advise_shards(gigabytes(20), kEightByFour).shards, 4 * 32);  // 156 MB each
  EXPECT_EQ(advise_shards(gigabytes(10), kEightByFour).shards, 3 * 32);  // 104 MB each
  EXPECT_EQ(advise_shards(gigabytes(2), kEightByFour).shards, 32);       // 62 MB each
}

TEST(ShardAdvice, FewerWorkersDoForLittleData) {
  const ShardAdvice advice = advise_shards(gigabytes(1), kEightByFour);
  EXPECT_EQ(advice.shards, 32);
  EXPECT_EQ(advice.shard_bytes, 31'250'000);
  EXPECT_EQ(advice.fewer_workers, 1);
  EXPECT_EQ(advice.shuffle_buffer, advice.shard_samples);
}

TEST(ShardAdvice, LeavesSamplesEnoughToBalance) {
  // Long recordings: 1000 samples of 100 MB.
  const InputEstimate amount{.samples = 10'000, .seconds = 30'000'000, .bytes = 1'000'000'000'000};
  const ShardAdvice advice = advise_shards(amount, kEightByFour);
  EXPECT_EQ(advice.per_worker, 4);
  EXPECT_GE(advice.shard_samples, 64);
}

TEST(ShardAdvice, SaysWhereThereAreFewerSamplesThanWorkers) {
  const ShardAdvice advice = advise_shards({.samples = 20, .seconds = 80, .bytes = 2'600'000}, kEightByFour);
  EXPECT_EQ(advice.per_worker, 0);
  EXPECT_EQ(advice.shards, 16);
  EXPECT_EQ(advise_shards({.samples = 3, .seconds = 1, .bytes = 10}, kEightByFour).shards, 1);
  EXPECT_EQ(advise_shards({}, kEightByFour).shards, 1);
}

TEST(ShardAdvice, JudgesAChoice) {
  const ShardChoice idle = judge_shards(gigabytes(10), 20, kEightByFour);
  EXPECT_EQ(idle.idle_workers, 12);
  EXPECT_NEAR(idle.idle_share, 12 / 32., 1e-9);
  EXPECT_FALSE(idle.is_small);
  const ShardChoice uneven = judge_shards(gigabytes(10), 33, kEightByFour);
  EXPECT_EQ(uneven.idle_workers, 0);
  EXPECT_NEAR(uneven.idle_share, 31 / 64., 1e-9);
  const ShardChoice small = judge_shards(gigabytes(10), 320, kEightByFour);
  EXPECT_EQ(small.shard_bytes, 31'250'000);
  EXPECT_TRUE(small.is_small);
  EXPECT_FALSE(judge_shards(gigabytes(1), 32, kEightByFour).is_small) << "nothing larger serves all workers";
  EXPECT_FALSE(
      judge_shards({.samples = 100, .seconds = 400, .bytes = 13'000'000}, 100, kEightByFour).is_small);
}

}  // namespace

}  // namespace shardmill::deal
