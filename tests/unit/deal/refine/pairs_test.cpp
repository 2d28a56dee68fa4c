#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "deal/refine/refiner.hpp"

namespace shardmill::deal {
namespace {

using namespace std::chrono_literals;

struct Case {
  Placement placement;
  std::vector<HeldSample> held;

  explicit Case(std::uint32_t shards) { placement.totals.assign(shards, 0s); }

  void add(std::uint32_t dataset, Duration duration, std::uint32_t shard) {
    held.push_back({dataset, duration});
    placement.shard_of.push_back(shard);
    placement.totals[shard] += duration;
    while (placement.quotas.size() <= dataset)
      placement.quotas.push_back({.samples = std::vector<std::uint32_t>(placement.totals.size()),
                                  .extra = std::vector<bool>(placement.totals.size())});
    ++placement.quotas[dataset].samples[shard];
  }
  std::map<std::pair<std::uint32_t, std::uint32_t>, int> counts() const {
    std::map<std::pair<std::uint32_t, std::uint32_t>, int> all;
    for (std::size_t i = 0; i < held.size(); ++i) ++all[{held[i].dataset, placement.shard_of[i]}];
    return all;
  }
  std::vector<Duration> totals() const {
    std::vector<Duration> all(placement.totals.size());
    for (std::size_t i = 0; i < held.size(); ++i) all[placement.shard_of[i]] += held[i].duration;
    return all;
  }
};

/// The smallest difference of two shards of which the first gets `wanted` samples, in steps of 0.1 ms.
Duration least_difference(const std::vector<HeldSample>& held, std::size_t wanted) {
  constexpr std::int64_t kStep = 100'000;
  std::vector<std::set<std::int64_t>> sums(wanted + 1);
  sums[0].insert(0);
  std::int64_t all = 0;
  for (const HeldSample& sample : held) {
    const std::int64_t steps = sample.duration.count() / kStep;
    all += steps;
    for (std::size_t chosen = wanted; chosen > 0; --chosen) {
      for (const std::int64_t sum : sums[chosen - 1]) sums[chosen].insert(sum + steps);
    }
  }
  std::int64_t least = all;
  for (const std::int64_t sum : sums[wanted]) least = std::min(least, std::abs(all - 2 * sum));
  return Duration(least * kStep);
}

TEST(Pairs, FewLengthsThatAreUnlike) {
  Case deal(2);
  std::uint32_t next = 0;
  const auto add = [&](Duration duration, int times) {
    for (int i = 0; i < times; ++i) deal.add(0, duration, next++ % 2);
  };
  add(300ms, 97);
  add(100ms + 100us, 5);
  add(1s, 4);
  add(100ms, 4);
  refine(deal.placement, deal.held);
  deal_pairs_anew(deal.placement, deal.held);
  EXPECT_LE(spread(deal.placement), 1ms);
  EXPECT_EQ(deal.totals(), deal.placement.totals);
  EXPECT_EQ((deal.counts()[{0, 0}]), 55);
}

TEST(Pairs, AsNearAsTheBestDeal) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    std::mt19937 random(seed);
    std::vector<Duration> lengths;
    for (unsigned i = 0; i < 2 + seed % 4; ++i)
      lengths.push_back(Duration(std::int64_t{1} + random() % 40) * 50'000'000);
    const auto each = static_cast<std::uint32_t>(4 + random() % 20);
    Case deal(2);
    for (std::uint32_t i = 0; i < 2 * each; ++i)
      deal.add(0, lengths[random() % lengths.size()] + Duration(random() % 3 * 100'000), i % 2);
    deal_pairs_anew(deal.placement, deal.held);
    EXPECT_LE(spread(deal.placement), least_difference(deal.held, each) + 8ms) << seed;
    EXPECT_EQ(deal.totals(), deal.placement.totals) << seed;
    EXPECT_EQ((deal.counts()[{0, 0}]), static_cast<int>(each)) << seed;
  }
}

TEST(Pairs, CountsOfEachDatasetStay) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::mt19937 random(seed);
    Case deal(5);
    for (std::uint32_t dataset = 0; dataset < 3; ++dataset) {
      for (std::uint32_t i = 0; i < 5 * (dataset + 1) + dataset; ++i)
        deal.add(dataset, Duration(std::int64_t{1} + random() % 30) * 100'000'000, i % 5);
    }
    refine(deal.placement, deal.held);
    const auto counts = deal.counts();
    const Duration before = spread(deal.placement);
    deal_pairs_anew(deal.placement, deal.held);
    EXPECT_LE(spread(deal.placement), before) << seed;
    EXPECT_EQ(deal.counts(), counts) << seed;
    EXPECT_EQ(deal.totals(), deal.placement.totals) << seed;
  }
}

TEST(Pairs, ShardsThatHoldNothingOrTooMuchStay) {
  Case empty(3);
  deal_pairs_anew(empty.placement, empty.held);
  EXPECT_EQ(spread(empty.placement), 0s);
  Case lonely(3);  // the samples that the others hold were dealt before
  lonely.add(0, 5s, 1);
  lonely.placement.totals = {2s, 5s, 1s};
  deal_pairs_anew(lonely.placement, lonely.held);
  EXPECT_EQ(lonely.placement.shard_of, std::vector<std::uint32_t>{1});
  Case large(2);
  for (std::uint32_t i = 0; i < 6000; ++i)
    large.add(0, Duration(std::int64_t{i} * i % 977 + 1) * 10'000'000, i % 2);
  const Placement before = large.placement;
  deal_pairs_anew(large.placement, large.held);
  EXPECT_EQ(large.placement.shard_of, before.shard_of);
}

}  // namespace
}  // namespace shardmill::deal
