#include "deal/refine/refiner.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

namespace shardmill::deal {
namespace {

using namespace std::chrono_literals;

struct Deal : Placement {
  std::vector<HeldSample> held;

  Duration spread() const {
    const auto [least, most] = std::minmax_element(totals.begin(), totals.end());
    return *most - *least;
  }
  /// Samples of each dataset in each shard.
  std::map<std::pair<std::uint32_t, std::uint32_t>, int> counts() const {
    std::map<std::pair<std::uint32_t, std::uint32_t>, int> all;
    for (std::size_t i = 0; i < held.size(); ++i) ++all[{held[i].dataset, shard_of[i]}];
    return all;
  }
};

Deal random_deal(unsigned seed, std::uint32_t shards, std::uint32_t datasets, std::size_t each) {
  std::mt19937 random(seed);
  Deal deal;
  deal.totals.assign(shards, 100s);
  for (std::uint32_t dataset = 0; dataset < datasets; ++dataset) {
    deal.quotas.push_back({.samples = std::vector<std::uint32_t>(shards, static_cast<std::uint32_t>(each)),
                           .extra = std::vector<bool>(shards)});
    for (std::uint32_t i = 0; i < shards * each; ++i) {
      deal.held.push_back({dataset, 1s + Duration(random() % 15'000'000'000)});
      deal.shard_of.push_back(i % shards);
      deal.totals[i % shards] += deal.held.back().duration;
    }
  }
  return deal;
}

TEST(Refine, BringsTimesTogetherAndLeavesCountsAsTheyAre) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    Deal deal = random_deal(seed, 2 + seed % 11, 1 + seed % 3, 40);
    const auto counts = deal.counts();
    refine(deal, deal.held);
    EXPECT_LE(deal.spread(), 1ms) << seed;
    EXPECT_EQ(deal.counts(), counts) << seed;
    std::vector<Duration> added(deal.totals.size(), Duration(100s));
    for (std::size_t i = 0; i < deal.held.size(); ++i) added[deal.shard_of[i]] += deal.held[i].duration;
    EXPECT_EQ(deal.totals, added) << seed;
  }
}

TEST(Refine, StopsOnlyWhereNoSingleExchangeHelps) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    Deal deal = random_deal(seed, 2, 1, 4);
    const Duration before = deal.spread();
    refine(deal, deal.held);
    EXPECT_LE(deal.spread(), before);
    if (deal.spread() <= 1ms) continue;
    for (std::size_t i = 0; i < deal.held.size(); ++i) {
      for (std::size_t j = 0; j < deal.held.size(); ++j) {
        if (deal.shard_of[i] != 0 || deal.shard_of[j] != 1) continue;
        const Duration moved = deal.held[i].duration - deal.held[j].duration;
        const Duration after = std::chrono::abs((deal.totals[0] - moved) - (deal.totals[1] + moved));
        EXPECT_GE(after + 2ns, deal.spread()) << seed;  // the mean is rounded
      }
    }
  }
}

// Shard 0 has the extra sample of dataset 0, a long one, and shard 1 that of dataset 1: only against each
// other.
TEST(Refine, ExtraSamplesOfTwoDatasetsMayChangePlaces) {
  Deal deal{
      {.totals = {20s, 12s},
       .quotas = {{.samples = {1, 0}, .extra = {true, false}}, {.samples = {0, 1}, .extra = {false, true}}},
       .shard_of = {0, 1}},
      {{0, 6s}, {1, 2s}}};
  refine(deal, deal.held);
  EXPECT_EQ(deal.shard_of, (std::vector<std::uint32_t>{1, 0}));
  EXPECT_EQ(deal.totals, (std::vector<Duration>{16s, 16s}));

  // Where neither is an extra one, it would break the counts.
  Deal strict{
      {.totals = {20s, 12s},
       .quotas = {{.samples = {1, 0}, .extra = {false, false}}, {.samples = {0, 1}, .extra = {false, false}}},
       .shard_of = {0, 1}},
      {{0, 6s}, {1, 2s}}};
  refine(strict, strict.held);
  EXPECT_EQ(strict.shard_of, (std::vector<std::uint32_t>{0, 1}));
}

}  // namespace
}  // namespace shardmill::deal
