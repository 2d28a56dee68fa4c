#include "deal/refine/second_try.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

namespace shardmill::deal {
namespace {

using namespace std::chrono_literals;

struct Small {
  Placement placement;
  std::vector<HeldSample> held;

  Duration spread() const {
    const auto [least, most] = std::minmax_element(placement.totals.begin(), placement.totals.end());
    return *most - *least;
  }
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

TEST(RefineAgain, HalvesTheSpreadOfSmallDatasets) {
  Duration before{};
  Duration after{};
  for (unsigned seed = 0; seed < 10; ++seed) {
    Small small = refined(seed, 8);
    const auto counts = small.counts();
    const Duration once = small.spread();
    refine_again(small.placement, small.held);
    EXPECT_LE(small.spread(), once) << seed;
    EXPECT_EQ(small.counts(), counts) << seed;
    before += once;
    after += small.spread();
  }
  EXPECT_LT(after, before / 2);
}

TEST(RefineAgain, TotalsAreThoseOfTheSamples) {
  Small small = refined(7, 5);
  refine_again(small.placement, small.held);
  std::vector<Duration> added(5);
  for (std::size_t i = 0; i < small.held.size(); ++i) {
    added[small.placement.shard_of[i]] += small.held[i].duration;
  }
  EXPECT_EQ(small.placement.totals, added);
}

TEST(RefineAgain, GivesTheSameEveryTime) {
  Small one = refined(3, 6);
  Small two = one;
  refine_again(one.placement, one.held);
  refine_again(two.placement, two.held);
  EXPECT_EQ(one.placement.shard_of, two.placement.shard_of);
}

TEST(RefineAgain, LeavesNothingHeldAlone) {
  Placement placement{.totals = {1s, 2s}, .quotas = {}, .shard_of = {}};
  refine_again(placement, {});
  EXPECT_EQ(placement.totals, (std::vector<Duration>{1s, 2s}));
}

}  // namespace
}  // namespace shardmill::deal
