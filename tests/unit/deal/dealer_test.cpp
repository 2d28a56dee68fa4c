#include "shardmill/deal/dealer.hpp"

#include <gtest/gtest.h>

#include <algorithm>

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
      SCOPED_TRACE(testing::Message() << shards << " shards, " << each << " samples each");
      expect_promise_kept(simulate(shards, {aishell_like(shards * each, 1)}));
      expect_promise_kept(simulate(shards, {librispeech_like(shards * each + 3, 2)}));
      expect_promise_kept(simulate(shards, {quantised(librispeech_like(shards * each, 3), 10ms)}));
    }
  }
}

TEST(Dealer, keeps_the_promise_for_a_mix_with_tiny_datasets) {
  for (const std::uint32_t shards : {16U, 100U}) {
    const std::size_t n = shards * 200;
    expect_promise_kept(simulate(
        shards, {aishell_like(n, 1), librispeech_like(n / 3, 2), aishell_like(3, 3), aishell_like(1, 4)}));
  }
}

TEST(Dealer, gives_every_shard_one_of_each_dataset_in_a_round) {
  Dealer dealer(10, 2);
  dealer.progress(0, 1, 1'000'000);
  dealer.progress(1, 1, 1'000'000);
  Random random(1);
  std::vector<std::vector<int>> counts(2, std::vector<int>(10));
  for (int step = 1; step <= 2000; ++step) {
    const auto dataset = static_cast<std::uint32_t>(random.below(2));
    ++counts[dataset][dealer.deal(dataset, Duration(random.below(10'000'000'000))).value()];
    for (const auto& of : counts) {
      const auto [least, most] = std::minmax_element(of.begin(), of.end());
      ASSERT_LE(*most - *least, 1);
    }
  }
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

TEST(Dealer, holds_back_a_small_input_whole) {
  const Outcome outcome = simulate(64, {aishell_like(640, 1)});
  EXPECT_EQ(outcome.held.size(), 640U);
  expect_promise_kept(outcome);
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
  EXPECT_TRUE(dealer.deal_rest({}).empty());
}

}  // namespace
}  // namespace shardmill::deal
