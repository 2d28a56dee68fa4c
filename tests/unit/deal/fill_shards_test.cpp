#include "deal/fill_shards.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace shardmill::deal {
namespace {

using std::chrono::milliseconds;

struct Stock {
  std::vector<HeldSample> samples;
  std::vector<std::uint32_t> homes;

  void add(std::uint32_t dataset, Duration duration, std::uint32_t home = kNoShard) {
    samples.push_back({.dataset = dataset, .duration = duration});
    homes.push_back(home);
  }
};

/// Speech-like: 2 to 14 s, in steps of 10 ms and some more.
Duration draw(std::mt19937& random, int longer = 0) {
  return milliseconds(10 * (200 + static_cast<int>(random() % 1200) + longer)) +
         std::chrono::microseconds(static_cast<int>(random() % 10'000));
}

void check(const Order& order, const Stock& stock, const Filling& filling) {
  std::vector<std::vector<std::uint32_t>> counts(order.counts.size(),
                                                 std::vector<std::uint32_t>(order.counts.front().size()));
  std::vector<Duration> totals(order.counts.size());
  for (std::size_t i = 0; i < stock.samples.size(); ++i) {
    const std::uint32_t shard = filling.shard_of[i];
    if (shard == kNoShard) continue;
    ++counts[shard][stock.samples[i].dataset];
    totals[shard] += stock.samples[i].duration;
  }
  EXPECT_EQ(counts, order.counts);
  EXPECT_EQ(totals, filling.totals);
}

TEST(FillShards, ReachesCountsAndTimes) {
  std::mt19937 random(1);
  for (int round = 0; round < 20; ++round) {
    Stock stock;
    const auto shards = static_cast<std::uint32_t>(1 + random() % 5);
    for (std::uint32_t i = 0; i < 100 * shards + 50; ++i) stock.add(0, draw(random));
    for (std::uint32_t i = 0; i < 40 * shards + 20; ++i) stock.add(1, draw(random));
    const Order order{.counts = std::vector<std::vector<std::uint32_t>>(shards, {100, 40}),
                      .time = std::chrono::seconds(140 * 8)};
    const auto filling = fill_shards(order, stock.samples, stock.homes);
    ASSERT_TRUE(filling);
    check(order, stock, *filling);
    for (const Duration total : filling->totals)
      EXPECT_LT(std::chrono::abs(total - order.time), milliseconds(5)) << "round " << round;
  }
}

TEST(FillShards, MostSamplesStayAtHome) {
  std::mt19937 random(2);
  Stock stock;
  // Four shards of 100 samples and the same time, of which each loses three.
  const Duration wanted = std::chrono::seconds(800);
  for (std::uint32_t shard = 0; shard < 4; ++shard) {
    Duration left = wanted;
    for (int i = 0; i < 95; ++i) {
      const Duration duration = draw(random);
      left -= duration;
      if (i > 2) stock.add(0, duration, shard);
    }
    for (int i = 0; i < 5; ++i) stock.add(0, left / 5, shard);
  }
  for (std::uint32_t i = 0; i < 100; ++i) stock.add(0, draw(random));
  const Order order{.counts = std::vector<std::vector<std::uint32_t>>(4, {100}), .time = wanted};
  const auto filling = fill_shards(order, stock.samples, stock.homes);
  ASSERT_TRUE(filling);
  check(order, stock, *filling);
  for (const Duration total : filling->totals) EXPECT_LT(std::chrono::abs(total - wanted), milliseconds(5));
  int moved = 0;
  for (std::size_t i = 0; i < stock.homes.size(); ++i)
    moved += stock.homes[i] != kNoShard && filling->shard_of[i] != stock.homes[i] ? 1 : 0;
  EXPECT_LT(moved, 150);
}

TEST(FillShards, CountsWhatShardsHaveAlready) {
  std::mt19937 random(4);
  Stock stock;
  for (std::uint32_t i = 0; i < 150; ++i) stock.add(0, draw(random));
  const Order order{.counts = {{30}, {40}},
                    .time = std::chrono::seconds(800),
                    .before = {std::chrono::seconds(560), std::chrono::seconds(480)}};
  const auto filling = fill_shards(order, stock.samples, stock.homes);
  ASSERT_TRUE(filling);
  for (const Duration total : filling->totals)
    EXPECT_LT(std::chrono::abs(total - order.time), milliseconds(5));
}

TEST(FillShards, SaysWhenItCannotBe) {
  Stock stock;
  for (int i = 0; i < 30; ++i) stock.add(0, milliseconds(1000 + i));
  const auto fill = [&](std::uint32_t count, Duration time) {
    return fill_shards({.counts = {{count}}, .time = time}, stock.samples, stock.homes);
  };
  EXPECT_FALSE(fill(31, milliseconds(31'000)));  // too few
  EXPECT_FALSE(fill(20, milliseconds(25'000)));  // too short
  EXPECT_FALSE(fill(20, milliseconds(15'000)));  // too long
  EXPECT_TRUE(fill(20, milliseconds(20'300)));
}

TEST(FillShards, OtherMeansAreEvenedOutByWhatStays) {
  std::mt19937 random(3);
  Stock stock;
  for (std::uint32_t i = 0; i < 700; ++i) stock.add(0, draw(random, 40));  // 0.4 s longer than the others
  const Order order{.counts = std::vector<std::vector<std::uint32_t>>(3, {200}),
                    .time = std::chrono::seconds(200 * 8)};
  const auto filling = fill_shards(order, stock.samples, stock.homes);
  ASSERT_TRUE(filling);
  check(order, stock, *filling);
  for (const Duration total : filling->totals)
    EXPECT_LT(std::chrono::abs(total - order.time), milliseconds(5));
}

}  // namespace
}  // namespace shardmill::deal
