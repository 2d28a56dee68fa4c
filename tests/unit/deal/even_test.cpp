#include "deal/even.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "deal/dealer.hpp"

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

}  // namespace
}  // namespace shardmill::deal
