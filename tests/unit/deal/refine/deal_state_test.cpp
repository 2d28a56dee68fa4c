#include "deal/refine/deal_state.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <stdexcept>
#include <vector>

namespace shardmill::deal {
namespace {

using namespace std::chrono_literals;
using ::testing::UnorderedElementsAre;

struct PlacedSamples {
  Placement placement;
  std::vector<HeldSample> held;

  /// The audio time of each shard, added up from its samples.
  std::vector<Duration> totals() const {
    std::vector<Duration> sums(placement.totals.size());
    for (std::size_t i = 0; i < held.size(); ++i) sums[placement.shard_of[i]] += held[i].duration;
    return sums;
  }
};

/// Samples of one dataset, with a shard for each.
PlacedSamples placed_samples(const std::vector<std::pair<Duration, std::uint32_t>>& samples,
                             std::uint32_t shards) {
  PlacedSamples deal;
  deal.placement.quotas = {
      {.samples = std::vector<std::uint32_t>(shards), .extra = std::vector<bool>(shards)}};
  deal.placement.totals.resize(shards);
  for (const auto& [duration, shard] : samples) {
    deal.held.push_back({.dataset = 0, .duration = duration});
    deal.placement.shard_of.push_back(shard);
    deal.placement.totals[shard] += duration;
  }
  return deal;
}

std::uint32_t number_of(const DealState& state, Nanoseconds duration) {
  for (std::uint32_t item = 0; item < state.size(); ++item) {
    if (state.item(item).duration == duration) return item;
  }
  throw std::out_of_range("no such item");
}

TEST(DealState, SortsItemsAndReckonsTimesFromTheMean) {
  const PlacedSamples deal = placed_samples({{5ns, 0}, {1ns, 1}, {3ns, 0}, {1ns, 1}}, 2);
  const DealState state(deal.placement, deal.held);
  ASSERT_EQ(state.size(), 4U);
  EXPECT_EQ(state.datasets(), 1U);
  for (std::uint32_t i = 0; i + 1 < state.size(); ++i) {
    EXPECT_LE(state.item(i).duration, state.item(i + 1).duration);
    EXPECT_EQ(state.place(state.by_length(i)), i);
  }
  EXPECT_EQ(state.spread(), 6);
  EXPECT_THAT(state.times(), ::testing::ElementsAre(3, -3));
  EXPECT_EQ(state.in_shard(0).size(), 2U);
}

TEST(DealState, AnExchangeKeepsCountsAndMovesTimes) {
  const PlacedSamples deal = placed_samples({{5ns, 0}, {1ns, 1}, {3ns, 0}, {2ns, 1}}, 2);
  DealState state(deal.placement, deal.held);
  state.exchange(number_of(state, 5), number_of(state, 2));
  EXPECT_EQ(state.spread(), 1);
  EXPECT_THAT(state.in_shard(0), UnorderedElementsAre(number_of(state, 2), number_of(state, 3)));
  EXPECT_THAT(state.in_shard(1), UnorderedElementsAre(number_of(state, 5), number_of(state, 1)));
}

TEST(DealState, ASampleLeavesOnlyAShardThatHasOneMore) {
  PlacedSamples deal = placed_samples({{5ns, 0}, {1ns, 0}, {3ns, 1}}, 2);
  deal.placement.quotas.front().extra = {true, false};
  DealState state(deal.placement, deal.held);
  const std::uint32_t moved = number_of(state, 1);
  EXPECT_TRUE(state.may_leave(moved, 1));
  EXPECT_FALSE(state.may_leave(number_of(state, 3), 0));
  state.move(moved, 1);
  EXPECT_FALSE(state.may_leave(number_of(state, 5), 1));
  EXPECT_TRUE(state.may_leave(moved, 0));
  state.keep_if_best();
  state.store(deal.placement);
  EXPECT_EQ(deal.placement.quotas.front().extra, (std::vector<bool>{false, true}));
}

TEST(DealState, GoesBackToTheBestDealAfterAnyMoves) {
  std::mt19937 random(7);
  std::vector<std::pair<Duration, std::uint32_t>> samples;
  for (std::uint32_t i = 0; i < 60; ++i) samples.emplace_back(Duration(1 + random() % 1000), i % 5);
  PlacedSamples deal = placed_samples(samples, 5);
  DealState state(deal.placement, deal.held);
  Nanoseconds best = state.spread();
  for (int step = 0; step < 2000; ++step) {
    state.exchange(static_cast<std::uint32_t>(random() % 60), static_cast<std::uint32_t>(random() % 60));
    best = std::min(best, state.spread());
    state.keep_if_best();
    ASSERT_EQ(state.best_spread(), best);
    if (step % 100 == 99) {
      state.go_back();
      ASSERT_EQ(state.spread(), best);
    }
  }
  state.store(deal.placement);
  EXPECT_EQ(deal.placement.totals, deal.totals());
  EXPECT_EQ(spread(deal.placement).count(), best);
  for (std::uint32_t shard = 0; shard < 5; ++shard)
    EXPECT_EQ(std::count(deal.placement.shard_of.begin(), deal.placement.shard_of.end(), shard), 12);
}

}  // namespace
}  // namespace shardmill::deal
