#include "deal/balance.hpp"

#include <gtest/gtest.h>

namespace shardmill::deal {
namespace {

using namespace std::chrono_literals;

TEST(Balance, measures_seconds_and_counts) {
  const std::vector<ShardTotals> shards{{10s, {3, 1}}, {13s, {4, 2}}, {11s, {3, 3}}};
  const Balance balance = measure_balance(shards);
  EXPECT_EQ(balance.shortest, 10s);
  EXPECT_EQ(balance.longest, 13s);
  EXPECT_EQ(balance.spread(), 3s);
  EXPECT_EQ(balance.mean, 11'333'333'333ns);
  EXPECT_EQ(balance.samples.least, 4U);
  EXPECT_EQ(balance.samples.most, 6U);
  EXPECT_EQ(balance.dataset_samples[0].spread(), 1U);
  EXPECT_EQ(balance.dataset_samples[1].spread(), 2U);
  EXPECT_FALSE(balance.even());
}

TEST(Balance, is_even_within_ten_milliseconds_or_a_hundred_thousandth) {
  const auto of = [](Duration a, Duration b) {
    return measure_balance(std::vector<ShardTotals>{{a, {1}}, {b, {1}}});
  };
  EXPECT_TRUE(of(100s, 100s + 10ms).even());
  EXPECT_FALSE(of(100s, 100s + 11ms).even());
  EXPECT_TRUE(of(10'000s, 10'000s + 100ms).even());
  EXPECT_FALSE(of(10'000s, 10'000s + 101ms).even());
}

TEST(Balance, needs_counts_within_one_too) {
  const auto of = [](std::vector<std::uint64_t> a, std::vector<std::uint64_t> b) {
    return measure_balance(std::vector<ShardTotals>{{1s, std::move(a)}, {1s, std::move(b)}});
  };
  EXPECT_TRUE(of({5, 6}, {6, 5}).even());
  EXPECT_TRUE(of({5, 6}, {6, 6}).even());
  EXPECT_FALSE(of({5, 6}, {6, 7}).even());
  EXPECT_FALSE(of({5, 7}, {7, 5}).even());
}

TEST(Balance, does_not_overflow) {
  const std::vector<ShardTotals> shards(20'000, {2'000'000h, {1'000'000'000}});
  EXPECT_EQ(measure_balance(shards).mean, 2'000'000h);
}

}  // namespace
}  // namespace shardmill::deal
