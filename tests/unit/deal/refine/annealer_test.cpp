#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "deal/even.hpp"
#include "deal/refine/refiner.hpp"

namespace shardmill::deal {
namespace {

using namespace std::chrono_literals;

struct Small {
  Placement placement;
  std::vector<HeldSample> held;

  Duration spread() const { return deal::spread(placement); }
  std::map<std::pair<std::uint32_t, std::uint32_t>, int> counts() const {
    std::map<std::pair<std::uint32_t, std::uint32_t>, int> all;
    for (std::size_t i = 0; i < held.size(); ++i) ++all[{held[i].dataset, placement.shard_of[i]}];
    return all;
  }
};

/// Six samples in each of `shards` shards, from two datasets, refined once.
Small refined(unsigned seed, std::uint32_t shards) {
  std::mt19937 random(seed);
  Small small;
  small.placement.totals.assign(shards, 0s);
  for (std::uint32_t dataset = 0; dataset < 2; ++dataset) {
    small.placement.quotas.push_back(
        {.samples = std::vector<std::uint32_t>(shards, 3), .extra = std::vector<bool>(shards)});
    for (std::uint32_t i = 0; i < 3 * shards; ++i) {
      small.held.push_back({dataset, 1s + Duration(random() % 15'000 * 1'000'000)});
      small.placement.shard_of.push_back(i % shards);
      small.placement.totals[i % shards] += small.held.back().duration;
    }
  }
  refine(small.placement, small.held);
  return small;
}

TEST(Anneal, HalvesTheSpreadOfSmallDatasets) {
  Duration before{};
  Duration after{};
  for (unsigned seed = 0; seed < 10; ++seed) {
    Small small = refined(seed, 8);
    const auto counts = small.counts();
    const Duration once = small.spread();
    anneal(small.placement, small.held, Effort::thorough);
    EXPECT_LE(small.spread(), once) << seed;
    EXPECT_EQ(small.counts(), counts) << seed;
    before += once;
    after += small.spread();
  }
  EXPECT_LT(after, before / 2);
}

TEST(Anneal, MakesNoMoreMovesThanItSays) {
  for (const Effort effort : {Effort::quick, Effort::thorough}) {
    Small small = refined(3, 6);
    const std::uint64_t most = most_moves(small.held.size(), effort);
    const std::uint64_t moves = anneal(small.placement, small.held, effort);
    EXPECT_GT(moves, 0U);
    EXPECT_LE(moves, most + most / 2);
  }
}

/// Lengths of which no deal makes equal shards: refining each deal could take longer than finding it.
TEST(Anneal, RefiningTakesNoLongerThanSearching) {
  constexpr std::uint32_t kShards = 40;
  Small small;
  small.placement.totals.assign(kShards, 0s);
  small.placement.quotas = {
      {.samples = std::vector<std::uint32_t>(kShards, 14), .extra = std::vector<bool>(kShards)}};
  for (std::uint32_t i = 0; i < 14 * kShards; ++i) {
    const int length = i % 80 == 0 ? 2 + static_cast<int>(i / 80) : 100 * static_cast<int>(i * i % 71);
    small.held.push_back({0, 1s + std::chrono::milliseconds(length)});
    small.placement.shard_of.push_back(i % kShards);
    small.placement.totals[i % kShards] += small.held.back().duration;
  }
  const std::uint64_t moves = anneal(small.placement, small.held, Effort::quick);
  EXPECT_LE(moves, 2 * most_moves(small.held.size(), Effort::quick) + 1'000'000);
}

/// One sample of 3 s and many of 0.1 to 0.2 s: no deal of 4 shards is better than 2 s and a few ms.
TEST(Anneal, EndsWhereNoDealIsBetter) {
  Small small;
  small.held = {{0, 3s}};
  for (int i = 0; i < 31; ++i) small.held.push_back({0, std::chrono::milliseconds(100 + i * 37 % 101)});
  small.placement.totals.resize(4);
  small.placement.quotas = {{.samples = {8, 8, 8, 8}, .extra = {false, false, false, false}}};
  small.placement.shard_of.resize(small.held.size());
  for (std::uint32_t i = 0; i < small.held.size(); ++i) {
    small.placement.shard_of[i] = i % 4;
    small.placement.totals[i % 4] += small.held[i].duration;
  }
  const Duration least = least_spread(small.held, 4).spread;
  ASSERT_GT(least, 1s);
  const std::uint64_t moves = anneal(small.placement, small.held, Effort::thorough);
  EXPECT_LE(small.spread(), least + 1ms);
  EXPECT_LT(moves, most_moves(small.held.size(), Effort::thorough) / 4);
}

TEST(Anneal, TotalsAreThoseOfTheSamples) {
  Small small = refined(7, 5);
  anneal(small.placement, small.held, Effort::quick);
  std::vector<Duration> added(5);
  for (std::size_t i = 0; i < small.held.size(); ++i) {
    added[small.placement.shard_of[i]] += small.held[i].duration;
  }
  EXPECT_EQ(small.placement.totals, added);
}

TEST(Anneal, GivesTheSameEveryTime) {
  Small one = refined(3, 6);
  Small two = one;
  anneal(one.placement, one.held, Effort::quick);
  anneal(two.placement, two.held, Effort::quick);
  EXPECT_EQ(one.placement.shard_of, two.placement.shard_of);
}

TEST(Anneal, LeavesNothingHeldAlone) {
  Placement placement{.totals = {1s, 2s}, .quotas = {}, .shard_of = {}};
  anneal(placement, {}, Effort::thorough);
  EXPECT_EQ(placement.totals, (std::vector<Duration>{1s, 2s}));
}

/// What a dataset with one sample in every second shard allows: the long samples go where the rest is short.
TEST(Anneal, ExtraSamplesGoToTheShardsThatNeedThem) {
  Small small;
  small.placement.totals = {16s, 16s, 4s, 4s};
  small.placement.quotas = {{.samples = {1, 1, 0, 0}, .extra = {true, true, false, false}}};
  small.placement.extra = {true, true, false, false};
  small.held = {{0, 6s}, {0, 6s}};
  small.placement.shard_of = {0, 1};
  anneal(small.placement, small.held, Effort::quick);
  EXPECT_EQ(small.spread(), 0s);
  EXPECT_EQ(small.placement.quotas[0].extra, (std::vector<bool>{false, false, true, true}));
  EXPECT_EQ(small.placement.extra, (std::vector<bool>{false, false, true, true}));
}

TEST(Anneal, WithoutExtraSamplesInTotalNoneMovesAlone) {
  Small small;
  small.placement.totals = {10s, 4s};
  small.placement.quotas = {{.samples = {1, 0}, .extra = {true, false}}};
  small.held = {{0, 6s}};
  small.placement.shard_of = {0};
  anneal(small.placement, small.held, Effort::quick);
  EXPECT_EQ(small.placement.shard_of, (std::vector<std::uint32_t>{0}));
}

}  // namespace
}  // namespace shardmill::deal
