#include "deal/parts.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <vector>

#include "deal/dealer.hpp"

namespace shardmill::deal {
namespace {

using namespace std::chrono_literals;

TEST(Parts, EveryShardBelongsToOne) {
  for (const std::uint32_t shards : {1U, 7U, 64U, 1000U}) {
    for (std::uint32_t parts = 1; parts <= std::min(shards, 13U); ++parts) {
      std::uint32_t next = 0;
      for (const ShardRange& range : divide_shards(shards, parts)) {
        EXPECT_EQ(range.first, next);
        EXPECT_GE(range.count, shards / parts);
        EXPECT_LE(range.count, shards / parts + 1);
        next += range.count;
      }
      EXPECT_EQ(next, shards);
    }
  }
}

TEST(Parts, BytesFollowShards) {
  const std::vector<ShardRange> parts = divide_shards(10, 3);
  std::vector<std::uint64_t> files;
  for (std::uint64_t i = 0; i < 500; ++i) files.push_back(1000 + i * 7919 % 1000);
  std::vector<std::uint64_t> given(3, 0);
  const auto part_of = divide_files(files, parts, given);
  const std::uint64_t all = std::accumulate(files.begin(), files.end(), std::uint64_t{0});
  std::vector<std::uint64_t> bytes(3, 0);
  for (std::size_t i = 0; i < files.size(); ++i) bytes[part_of[i]] += files[i];
  EXPECT_EQ(bytes, given);
  for (std::size_t part = 0; part < 3; ++part) {
    EXPECT_NEAR(static_cast<double>(bytes[part]), static_cast<double>(all) * parts[part].count / 10, 2000);
  }
}

TEST(Parts, SingleFilesGoToWhoeverHasLeast) {
  const std::vector<ShardRange> parts = divide_shards(4, 2);
  std::vector<std::uint64_t> given(2, 0);
  EXPECT_EQ(divide_files(std::vector<std::uint64_t>{5}, parts, given), std::vector<std::uint32_t>{0});
  EXPECT_EQ(divide_files(std::vector<std::uint64_t>{5}, parts, given), std::vector<std::uint32_t>{1});
}

TEST(Parts, AllowanceKeepsBackWhatOthersNeed) {
  const ShardRange half{.first = 0, .count = 4};
  EXPECT_NEAR(allowance(500, 1000, 100, half, 8), 0.97, 1e-9);
  EXPECT_NEAR(allowance(1000, 1000, 100, half, 8), 0.97 / 2, 1e-9);
  EXPECT_DOUBLE_EQ(allowance(400, 1000, 1, {.first = 0, .count = 8}, 8), 1);
  EXPECT_DOUBLE_EQ(allowance(0, 1000, 0, half, 8), 1);
  EXPECT_LT(allowance(500, 1000, 1, half, 8), 0.71);
}

TEST(Parts, ADealerKeepsToItsAllowance) {
  Dealer dealer(4, 2, {0.9, 1.0});
  std::uint64_t dealt = 0;
  for (int i = 0; i < 1000; ++i) dealt += dealer.deal(0, 1s + i * 1ms).has_value() ? 1U : 0U;
  EXPECT_EQ(dealt, 900);
  EXPECT_TRUE(dealer.deal(1, 1s).has_value());
  EXPECT_EQ(Dealer(dealer.state(), {0.9, 1.0}).state(), dealer.state());
}

using namespace std::chrono_literals;

/// Two shards of which one lasts a minute longer than the other, and held samples that are all alike.
PartSamples apart() {
  PartSamples part{.shards = {{}, {}}, .held = std::vector<HeldSample>(20, {.dataset = 0, .duration = 2s})};
  for (int i = 0; i < 100; ++i) {
    part.shards[0].push_back({.dataset = 0, .duration = 2s + 1ms * (i * 37 % 100)});
    part.shards[1].push_back({.dataset = 0, .duration = 2600ms + 1ms * (i * 53 % 100)});
  }
  return part;
}

RestDeal deal(const CutShards& cut) {
  return deal_evenly(cut.views(), cut.held);
}

TEST(GivingBack, CutShardsHoldTheFirstSamplesAndGiveTheOthers) {
  const std::vector<PartSamples> parts{
      {.shards = {{{0, 1s}, {1, 2s}}, {{1, 3s}}}, .held = {{0, 9s}}},
      {.shards = {{}}, .held = {{1, 8s}}},
  };
  const CutShards cut = cut_shards(parts, 2, 1);
  EXPECT_EQ(cut.dealt[0], (std::vector<Holding>{{1, 1s}, {}, {}}));
  EXPECT_EQ(cut.dealt[1], (std::vector<Holding>{{}, {}, {}}));
  std::vector<Duration> held;
  for (const HeldSample& sample : cut.held) held.push_back(sample.duration);
  EXPECT_EQ(held, (std::vector<Duration>{9s, 2s, 3s, 8s}));
}

TEST(GivingBack, AsManyAsMakeTheShardsEven) {
  const std::vector<PartSamples> parts{apart()};
  const RestDeal now = deal(cut_shards(parts, 1, 0));
  EXPECT_GT(now.spread, 50s);
  const std::uint64_t given = samples_to_give_back(parts, 1, {}, now);
  EXPECT_GT(given, 0U);
  EXPECT_LE(given, 100U);
  EXPECT_TRUE(deal(cut_shards(parts, 1, given)).is_even());
}

TEST(GivingBack, NothingWhereTheLengthsForbidIt) {
  std::vector<PartSamples> parts{apart()};
  parts.front().shards[0].push_back({.dataset = 0, .duration = 10h});
  parts.front().shards[1].push_back({.dataset = 0, .duration = 1s});
  // The other samples last nine minutes, so the long one decides. What is possible is there already.
  const std::uint64_t given = samples_to_give_back(parts, 1, {}, deal(cut_shards(parts, 1, 101)));
  EXPECT_EQ(given, 0U);
}

TEST(GivingBack, NothingWhereNothingWasDealt) {
  PartSamples part = apart();
  part.shards = {{}, {}};
  part.held.push_back({.dataset = 0, .duration = 7s});
  const std::vector<PartSamples> parts{part};
  EXPECT_EQ(samples_to_give_back(parts, 1, {}, deal(cut_shards(parts, 1, 0))), 0U);
}

TEST(GivingBack, EqualNumbersIfTheUserWantsThem) {
  std::vector<PartSamples> parts{apart()};
  parts.front().shards[0].resize(60);
  const EvenWish wish{.even = Even::leave_out, .seed = 3};
  const CutShards now = cut_shards(parts, 1, 0);
  const std::uint64_t given = samples_to_give_back(parts, 1, wish, deal_evenly(now.views(), now.held, wish));
  const CutShards cut = cut_shards(parts, 1, given);
  EXPECT_TRUE(deal_evenly(cut.views(), cut.held, wish).is_even());
}

}  // namespace
}  // namespace shardmill::deal
