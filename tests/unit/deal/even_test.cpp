#include "deal/even.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <set>

#include "deal/dealer.hpp"
#include "deal/simulation.hpp"

namespace shardmill::deal {
namespace {

TEST(EvenOut, ChangesNothingWhereNothingIsOver) {
  EXPECT_EQ(even_out(90, 10, 10, {Even::leave_out, 1}), EvenChange{});
  EXPECT_EQ(even_out(91, 10, 10, {Even::off, 1}), EvenChange{});
}

TEST(EvenOut, TakesTheFewest) {
  EXPECT_EQ(even_out(93, 10, 10, {Even::leave_out, 1}).left_out.size(), 3u);
  EXPECT_TRUE(even_out(93, 10, 10, {Even::leave_out, 1}).repeated.empty());
  const EvenChange change = even_out(93, 10, 10, {Even::repeat, 1});
  EXPECT_EQ(std::set<std::uint32_t>(change.repeated.begin(), change.repeated.end()).size(), 7u);
  EXPECT_TRUE(std::is_sorted(change.repeated.begin(), change.repeated.end()));
}

TEST(EvenOut, TheSeedChooses) {
  EXPECT_EQ(even_out(5, 100, 7, {Even::repeat, 1}), even_out(5, 100, 7, {Even::repeat, 1}));
  EXPECT_NE(even_out(5, 100, 50, {Even::repeat, 1}), even_out(5, 100, 50, {Even::repeat, 2}));
}

// Whatever comes: as many samples in each shard, and every sample has a shard.
TEST(EvenOut, AnyDealCanBeMadeEqual) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 200; ++round) {
    const auto shards = static_cast<std::uint32_t>(1 + random() % 20);
    const auto datasets = static_cast<std::uint32_t>(1 + random() % 5);
    const std::uint64_t samples = shards + random() % 2000;
    Dealer dealer(shards, datasets);
    std::vector<HeldSample> held;
    std::vector<std::uint64_t> totals(shards, 0);
    for (std::uint64_t i = 0; i < samples; ++i) {
      const auto dataset = static_cast<std::uint32_t>(std::min<std::uint64_t>(random() % 9, datasets - 1));
      for (std::uint32_t d = 0; d < datasets; ++d) dealer.progress(d, i, samples);
      const Duration duration(1'000'000 * (1 + random() % 10'000));
      if (const auto shard = dealer.deal(dataset, duration)) {
        ++totals[*shard];
      } else {
        held.push_back({.dataset = dataset, .duration = duration});
      }
    }
    const Even even = round % 2 == 0 ? Even::leave_out : Even::repeat;
    const RestDeal deal = deal_evenly(dealer.holdings(), held, {even, 7});
    EXPECT_EQ(deal.left_out.size() + deal.placed.size(), held.size());
    for (const auto& [number, shard] : deal.placed) ++totals[shard];
    for (const auto& [number, shard] : deal.repeated) ++totals[shard];
    EXPECT_EQ(*std::min_element(totals.begin(), totals.end()),
              *std::max_element(totals.begin(), totals.end()));
  }
}

using namespace std::chrono_literals;
using Reason = LeastSpread::Reason;

std::vector<HeldSample> samples_of(const std::vector<Duration>& durations, std::uint32_t dataset = 0) {
  std::vector<HeldSample> samples;
  for (const Duration duration : durations) samples.push_back({dataset, duration});
  return samples;
}

/// Tries all deals with equal counts of each dataset and in total.
class AllDeals {
 public:
  AllDeals(const std::vector<HeldSample>& samples, std::size_t shards, std::size_t datasets)
      : samples_(samples), times_(shards), counts_(datasets + 1, std::vector<std::uint64_t>(shards)) {}

  Duration least_spread() {
    deal(0);
    return least_;
  }

 private:
  void deal(std::size_t next) {
    if (next == samples_.size()) return judge();
    for (std::size_t shard = 0; shard < times_.size(); ++shard) {
      times_[shard] += samples_[next].duration;
      ++counts_[samples_[next].dataset][shard];
      ++counts_.back()[shard];
      deal(next + 1);
      times_[shard] -= samples_[next].duration;
      --counts_[samples_[next].dataset][shard];
      --counts_.back()[shard];
      if (next == 0) break;  // which shard the first one goes to does not matter
    }
  }
  void judge() {
    for (const auto& counts : counts_) {
      const auto [fewest, most] = std::minmax_element(counts.begin(), counts.end());
      if (*most - *fewest > 1) return;
    }
    const auto [least, most] = std::minmax_element(times_.begin(), times_.end());
    least_ = std::min(least_, *most - *least);
  }

  const std::vector<HeldSample>& samples_;
  std::vector<Duration> times_;
  std::vector<std::vector<std::uint64_t>> counts_;  // of each dataset, and of all
  Duration least_ = Duration::max();
};

TEST(LeastSpread, IsNeverMoreThanTheBestOfAllDeals) {
  std::size_t exact = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Random random(seed);
    const std::size_t shards = 2 + random.below(2);
    const auto datasets = static_cast<std::uint32_t>(1 + random.below(3));
    std::vector<HeldSample> samples;
    for (std::size_t i = 0; i < shards + random.below(6); ++i) {
      const Duration duration = 100ms * static_cast<std::int64_t>(1 + random.below(9));
      samples.push_back({static_cast<std::uint32_t>(random.below(datasets)),
                         random.below(6) == 0 ? 10 * duration : duration});
    }
    const Duration best = AllDeals(samples, shards, datasets).least_spread();
    const LeastSpread bound = least_spread(samples, shards);
    EXPECT_LE(bound.spread, best) << "mix " << seed;
    EXPECT_EQ(bound.spread > 0s, bound.reason != Reason::none);
    exact += bound.spread == best ? 1 : 0;
  }
  EXPECT_GE(exact, 50U);
}

TEST(LeastSpread, OneSampleIsLongerThanAShard) {
  std::vector<Duration> durations(40, 1s);
  durations.push_back(73s);
  const LeastSpread bound = least_spread(samples_of(durations), 4);
  EXPECT_EQ(bound.reason, Reason::long_samples);
  EXPECT_EQ(bound.together, 1U);
  EXPECT_EQ(bound.length, 73s);
  EXPECT_EQ(bound.share, 28250ms);
  EXPECT_EQ(bound.spread, 71'666'666'667ns);  // 82 s here, and 31 s in the other three
}

TEST(LeastSpread, OneMoreLongSampleThanShards) {
  const LeastSpread bound = least_spread(samples_of({9s, 9s, 9s, 1s, 1s, 1s}), 2);
  EXPECT_EQ(bound.reason, Reason::long_samples);
  EXPECT_EQ(bound.samples, 3U);
  EXPECT_EQ(bound.together, 2U);
  EXPECT_EQ(bound.spread, 8s);
}

TEST(LeastSpread, TooFewLongSamplesForAllShards) {
  std::vector<Duration> durations(3, 5s);
  durations.resize(16, 1s);
  const LeastSpread bound = least_spread(samples_of(durations), 4);
  EXPECT_EQ(bound.reason, Reason::few_long);
  EXPECT_EQ(bound.samples, 3U);
  EXPECT_EQ(bound.together, 0U);
  EXPECT_EQ(bound.spread, 4s);
}

TEST(LeastSpread, StepsThatAreTooLarge) {
  const LeastSpread bound = least_spread(samples_of({2s, 3s, 4s, 2s, 3s, 3s, 2s, 3s}), 4);
  EXPECT_EQ(bound.reason, Reason::steps);
  EXPECT_EQ(bound.length, 1s);
}

TEST(LeastSpread, IsNothingWhereNothingStandsInTheWay) {
  EXPECT_EQ(least_spread({}, 3).spread, 0s);
  EXPECT_EQ(least_spread(samples_of({5s, 1s}), 1).spread, 0s);
  EXPECT_LE(least_spread(samples_of(aishell_like(5000, 1)), 20).spread, 62500ns);
}

}  // namespace
}  // namespace shardmill::deal
