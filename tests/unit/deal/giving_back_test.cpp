#include "deal/giving_back.hpp"

#include <gtest/gtest.h>

namespace shardmill::deal {
namespace {

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
