#include "deal/dealer.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "deal/even.hpp"
#include "deal/simulation.hpp"

namespace shardmill::deal {
namespace {

using namespace std::chrono_literals;

void expect_promise_kept(const Outcome& outcome) {
  EXPECT_TRUE(outcome.balance.even())
      << "spread " << outcome.balance.spread().count() << " ns, samples " << outcome.balance.samples.spread();
}

TEST(Dealer, keeps_the_promise_for_one_dataset) {
  for (const std::uint32_t shards : {1U, 2U, 16U, 64U, 300U}) {
    for (const std::size_t each : {64U, 200U}) {
      SCOPED_TRACE(::testing::Message() << shards << " shards, " << each << " samples each");
      expect_promise_kept(simulate(shards, {aishell_like(shards * each, 1)}));
      expect_promise_kept(simulate(shards, {librispeech_like(shards * each + 3, 2)}));
      expect_promise_kept(simulate(shards, {quantised(librispeech_like(shards * each, 3), 10ms)}));
    }
  }
}

TEST(Dealer, comes_within_a_millisecond_where_durations_allow) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    EXPECT_LE(simulate(16, {aishell_like(16 * 100, seed)}).balance.spread(), 1ms);
    EXPECT_LE(simulate(16, {librispeech_like(16 * 100, seed)}).balance.spread(), 5ms);
    EXPECT_LE(simulate(16, {aishell_like(900, seed), librispeech_like(700, seed)}).balance.spread(), 1ms);
  }
}

TEST(Dealer, keeps_the_promise_for_a_mix_with_tiny_datasets) {
  for (const std::uint32_t shards : {16U, 100U}) {
    const std::size_t n = shards * 200;
    expect_promise_kept(simulate(
        shards, {aishell_like(n, 1), librispeech_like(n / 3, 2), aishell_like(3, 3), aishell_like(1, 4)}));
  }
}

TEST(Dealer, keeps_the_promise_for_many_datasets) {
  std::vector<Durations> datasets;
  for (std::size_t d = 0; d < 100; ++d) datasets.push_back(aishell_like(50 + 3 * d, d));
  expect_promise_kept(simulate(64, datasets));
}

TEST(Dealer, keeps_the_promise_in_sorted_orders) {
  constexpr std::uint32_t kShards = 32;
  const Durations durations = librispeech_like(kShards * 300, 1);
  expect_promise_kept(simulate(kShards, {sorted(durations)}));
  for (const std::size_t stretch : {5U, 32U, 100U, 320U, 2000U}) {
    const Durations ascending = sorted_in_stretches(durations, stretch);
    expect_promise_kept(simulate(kShards, {ascending}));
    expect_promise_kept(simulate(kShards, {Durations(ascending.rbegin(), ascending.rend())}));
  }
}

TEST(Dealer, keeps_the_promise_when_the_size_of_the_input_is_unknown) {
  const Outcome outcome = simulate(16, {aishell_like(16 * 200, 1)}, 900'000, 0, false);
  EXPECT_LE(outcome.held.size(), 16U * 16);
  expect_promise_kept(outcome);
}

TEST(Dealer, equal_and_two_valued_durations_differ_by_no_more_than_one_exchange) {
  const Outcome equal = simulate(16, {Durations(16 * 100 + 5, 4s)});
  EXPECT_EQ(equal.balance.samples.spread(), 1U);
  EXPECT_EQ(equal.balance.spread(), 4s);

  Durations two_valued = aishell_like(16 * 100, 1);
  for (Duration& duration : two_valued) duration = duration > 4s ? 7s : 3s;
  EXPECT_LE(simulate(16, {two_valued}).balance.spread(), 4s);
}

TEST(Dealer, makes_up_for_an_hour_long_sample_in_time) {
  for (std::size_t where = 100; where < 4000; where += 500) {
    Durations durations = aishell_like(64'000, 1);
    durations[where] = 1h;
    const Outcome outcome = simulate(16, {durations});
    EXPECT_TRUE(
        std::ranges::none_of(outcome.held, [](const HeldSample& held) { return held.duration == 1h; }));
    expect_promise_kept(outcome);
  }
}

TEST(Dealer, counts_never_drift_apart) {
  Dealer dealer(10, 2);
  dealer.progress(0, 1, 1'000'000);
  dealer.progress(1, 1, 1'000'000);
  Random random(1);
  std::vector<std::vector<int>> counts(2, std::vector<int>(10));
  for (int step = 1; step <= 2000; ++step) {
    const auto dataset = static_cast<std::uint32_t>(random.below(2));
    const auto shard = dealer.deal(dataset, Duration(random.below(10'000'000'000)));
    if (!shard) continue;
    ++counts[dataset][*shard];
    const auto [least, most] = std::minmax_element(counts[dataset].begin(), counts[dataset].end());
    ASSERT_LE(*most - *least, 4);
  }
}

TEST(Dealer, deals_millions_of_samples_to_thousands_of_shards) {
  const Outcome outcome = simulate(5000, {aishell_like(500'000, 1), librispeech_like(500'000, 2)}, 9'000'000);
  expect_promise_kept(outcome);
  EXPECT_LE(outcome.held.size(), 5000U * 13);
}

TEST(Dealer, an_interrupted_deal_is_the_same_deal) {
  const std::vector<Durations> datasets{aishell_like(4000, 1), librispeech_like(1500, 2)};
  const Outcome whole = simulate(16, datasets);
  const Outcome resumed = simulate(16, datasets, 900'000, 37);
  EXPECT_EQ(whole.held.size(), resumed.held.size());
  EXPECT_EQ(whole.shard_of, resumed.shard_of);
}

TEST(Dealer, state_survives_the_round_trip) {
  Dealer dealer(7, 2);
  dealer.progress(1, 100, 1'000'000);
  for (int i = 0; i < 100; ++i) dealer.deal(1, i * 100ms);
  EXPECT_EQ(Dealer(dealer.state()).state(), dealer.state());
}

TEST(Dealer, holds_back_nearly_all_of_a_small_input) {
  const Outcome outcome = simulate(64, {aishell_like(640, 1)});
  EXPECT_GE(outcome.held.size(), 630U);  // the estimate may overshoot for a moment
  expect_promise_kept(outcome);
}

// It was expected to have a sample in every byte, so all samples of the first dataset were dealt at once.
TEST(Dealer, a_dataset_not_yet_begun_is_not_expected_to_be_huge) {
  Dealer dealer(4, 2);
  dealer.progress(1, 0, 100'000);
  dealer.progress(0, 76'000, 180'000);
  for (int i = 0; i < 9; ++i) EXPECT_EQ(dealer.deal(0, 1s), std::nullopt) << i;
}

TEST(Dealer, holds_back_little_of_a_large_input) {
  const Outcome outcome = simulate(16, {aishell_like(20'000, 1), librispeech_like(10'000, 2)});
  EXPECT_LE(outcome.held.size(), 16U * 20);
}

TEST(Dealer, more_shards_than_samples_leaves_shards_empty) {
  const Outcome outcome = simulate(100, {aishell_like(30, 1), aishell_like(20, 2)});
  EXPECT_EQ(outcome.balance.samples.least, 0U);
  EXPECT_EQ(outcome.balance.samples.most, 1U);
}

TEST(Dealer, an_empty_input_deals_nothing) {
  const Dealer dealer(4, 1);
  EXPECT_TRUE(deal_evenly(dealer.holdings(), {}).placed.empty());
}

}  // namespace
}  // namespace shardmill::deal
