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

}  // namespace
}  // namespace shardmill::deal
