#include "deal/refine/refiner.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
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
namespace {

using namespace std::chrono_literals;

struct HandfulCase {
  Placement placement;
  std::vector<HeldSample> held;

  void deal() {
    std::vector<std::uint32_t> all(held.size());
    std::iota(all.begin(), all.end(), 0U);
    placement.shard_of.assign(held.size(), UINT32_MAX);
    deal_in_handfuls(placement, held, all);
  }
  std::uint32_t count(std::uint32_t dataset, std::uint32_t shard) const {
    std::uint32_t found = 0;
    for (std::size_t i = 0; i < held.size(); ++i)
      found += held[i].dataset == dataset && placement.shard_of[i] == shard ? 1 : 0;
    return found;
  }
};

Quota quota_of(std::vector<std::uint32_t> samples) {
  const std::size_t shards = samples.size();
  return {.samples = std::move(samples), .extra = std::vector<bool>(shards)};
}

TEST(DealInHandfuls, TheLongestGoesWhereThereIsLeastAudio) {
  HandfulCase given;
  given.placement.totals = {10s, 2s, 5s};
  given.placement.quotas = {quota_of({1, 1, 1})};
  given.held = {{0, 1s}, {0, 9s}, {0, 4s}};
  given.deal();
  EXPECT_EQ(given.placement.shard_of, (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_EQ(given.placement.totals, (std::vector<Duration>{11s, 11s, 9s}));
}

TEST(DealInHandfuls, AmongEqualsTheFirstShardGetsTheFirstSample) {
  HandfulCase given;
  given.placement.totals = {0s, 0s};
  given.placement.quotas = {quota_of({1, 1})};
  given.held = {{0, 3s}, {0, 3s}};
  given.deal();
  EXPECT_EQ(given.placement.shard_of, (std::vector<std::uint32_t>{0, 1}));
}

TEST(DealInHandfuls, OfAnyQuotasEachShardGetsItsOwnAndTotalsAreTrue) {
  std::mt19937 random(3);
  for (int round = 0; round < 30; ++round) {
    const std::size_t shards = 1 + random() % 7;
    HandfulCase given;
    given.placement.totals.assign(shards, 0s);
    for (std::uint32_t dataset = 0; dataset < 3; ++dataset) {
      std::vector<std::uint32_t> samples(shards);
      for (std::uint32_t& quota : samples) quota = static_cast<std::uint32_t>(random() % 5);
      for (std::uint32_t i = std::accumulate(samples.begin(), samples.end(), 0U); i > 0; --i)
        given.held.push_back({dataset, Duration(1 + random() % 20'000'000'000)});
      given.placement.quotas.push_back(quota_of(samples));
    }
    std::shuffle(given.held.begin(), given.held.end(), random);
    given.deal();
    std::vector<Duration> totals(shards, 0s);
    for (std::size_t i = 0; i < given.held.size(); ++i) {
      ASSERT_LT(given.placement.shard_of[i], shards);
      totals[given.placement.shard_of[i]] += given.held[i].duration;
    }
    EXPECT_EQ(given.placement.totals, totals);
    for (std::uint32_t dataset = 0; dataset < 3; ++dataset) {
      for (std::uint32_t shard = 0; shard < shards; ++shard)
        EXPECT_EQ(given.count(dataset, shard), given.placement.quotas[dataset].samples[shard]);
    }
  }
}

TEST(DealInHandfuls, CoarseHandfulsComeFirstSoThatFineOnesMakeUpForThem) {
  HandfulCase given;
  given.placement.totals = {0s, 0s};
  // The samples of the first dataset differ by 1 s, those of the second by 9 s.
  given.placement.quotas = {quota_of({1, 1}), quota_of({1, 1})};
  given.held = {{0, 5s}, {0, 4s}, {1, 10s}, {1, 1s}};
  given.deal();
  // The 10 s go to shard 0, so the longer one of the fine handful goes to shard 1.
  EXPECT_EQ(given.placement.shard_of, (std::vector<std::uint32_t>{1, 0, 0, 1}));
  EXPECT_EQ(given.placement.totals, (std::vector<Duration>{14s, 6s}));
}

TEST(DealInHandfuls, OnlyTheSamplesThatAreNamedAreDealt) {
  HandfulCase given;
  given.placement.totals = {0s, 0s};
  given.placement.quotas = {quota_of({1, 1})};
  given.held = {{0, 5s}, {0, 4s}, {0, 3s}};
  given.placement.shard_of.assign(3, 77);
  deal_in_handfuls(given.placement, given.held, std::vector<std::uint32_t>{2, 0});
  EXPECT_EQ(given.placement.shard_of, (std::vector<std::uint32_t>{0, 77, 1}));
}

}  // namespace
}  // namespace shardmill::deal
