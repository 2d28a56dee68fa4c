#include "deal/dataset_deal.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>

namespace shardmill::deal {
namespace {

using namespace std::chrono_literals;

std::vector<Duration> random_durations(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Duration> durations;
  for (std::size_t i = 0; i < count; ++i)
    durations.push_back(1s + std::chrono::microseconds(random() % 15'000'000));
  return durations;
}

Duration spread(std::span<const Holding> shards) {
  const auto [least, most] =
      std::minmax_element(shards.begin(), shards.end(),
                          [](const Holding& a, const Holding& b) { return a.duration < b.duration; });
  return most->duration - least->duration;
}

std::vector<Holding> dealt_in_turn(const std::vector<Duration>& durations, std::size_t shards) {
  std::vector<Holding> held(shards);
  for (std::size_t i = 0; i < durations.size(); ++i) {
    ++held[i % shards].samples;
    held[i % shards].duration += durations[i];
  }
  return held;
}

TEST(DatasetDeal, KeepsCountsTogetherAndCountsRight) {
  DatasetDeal deal(std::vector<Holding>(13), {});
  std::vector<Holding> counted(13);
  for (const Duration duration : random_durations(5000, 1)) {
    deal.see(duration);
    const std::uint32_t shard = deal.deal(duration);
    ++counted[shard].samples;
    counted[shard].duration += duration;
    const auto [fewest, most] =
        std::minmax_element(counted.begin(), counted.end(),
                            [](const Holding& a, const Holding& b) { return a.samples < b.samples; });
    ASSERT_LE(most->samples - fewest->samples, 4u);
  }
  EXPECT_TRUE(std::equal(counted.begin(), counted.end(), deal.shards().begin(), deal.shards().end()));
}

TEST(DatasetDeal, IsFarMoreEvenThanDealingInTurn) {
  for (unsigned order = 0; order < 4; ++order) {
    auto durations = random_durations(8000, 2);
    if (order == 1) std::sort(durations.begin(), durations.end());
    if (order == 2) std::sort(durations.rbegin(), durations.rend());
    if (order == 3) {  // sorted in stretches, as by speaker
      for (auto at = durations.begin(); at != durations.end(); at += 100) std::sort(at, at + 100);
    }
    DatasetDeal deal(std::vector<Holding>(16), {});
    for (const Duration duration : durations) {
      deal.see(duration);
      deal.deal(duration);
    }
    EXPECT_LT(spread(deal.shards()), 20s) << order;
    // Where it is sorted from end to end, neither drifts.
    if (order == 1 || order == 2) continue;
    EXPECT_LT(3 * spread(deal.shards()), spread(dealt_in_turn(durations, 16))) << order;
  }
}

TEST(DatasetDeal, GoesOnFromItsStateAsIfItHadNeverStopped) {
  const auto durations = random_durations(600, 4);
  DatasetDeal whole(std::vector<Holding>(7), {});
  DatasetDeal resumed(std::vector<Holding>(7), {});
  for (const Duration duration : durations) {
    resumed = DatasetDeal({resumed.shards().begin(), resumed.shards().end()}, resumed.seen());
    whole.see(duration);
    resumed.see(duration);
    ASSERT_EQ(resumed.deal(duration), whole.deal(duration));
  }
  EXPECT_EQ(resumed.seen(), whole.seen());
}

TEST(DatasetDeal, OneShardGetsAllAndZeroDurationsDoNoHarm) {
  DatasetDeal one({Holding{}}, {});
  DatasetDeal silent(std::vector<Holding>(3), {});
  for (int i = 0; i < 30; ++i) {
    one.see(Duration(i));
    EXPECT_EQ(one.deal(Duration(i)), 0u);
    silent.see(0s);
    silent.deal(0s);
  }
  for (const Holding& shard : silent.shards()) EXPECT_EQ(shard.samples, 10u);
}

}  // namespace
namespace {

TEST(Shares, AreWeightsWhereNothingElseIsWanted) {
  EXPECT_EQ(shares({{.seconds = 10}, {.seconds = 0}, {.seconds = 5, .weight = 2.5}}, {}, {}),
            (std::vector<double>{1, 1, 2.5}));
}

TEST(Shares, ATakeIsAPartOfWhatThereIs) {
  EXPECT_EQ(shares({{.seconds = 10, .take = 5}, {.seconds = 100}}, {}, {}), (std::vector<double>{0.5, 1}));
  EXPECT_EQ(shares({{.seconds = 30}, {.seconds = 70, .weight = 1}}, {}, 25),
            (std::vector<double>{0.25, 0.25}));
  // One has its own; the others share the rest in proportion.
  EXPECT_EQ(shares({{.seconds = 10, .take = 5}, {.seconds = 100}, {.seconds = 50, .weight = 2}}, {}, 50),
            (std::vector<double>{0.5, 0.25, 0.5}));
}

TEST(Shares, ATemperatureMakesAmountsMoreAlike) {
  for (const double temperature : {0.0, 0.3, 0.7, 1.0}) {
    const std::vector<double> weights = shares({{.seconds = 100}, {.seconds = 10'000}}, temperature, {});
    EXPECT_NEAR(weights[0] * 100 + weights[1] * 10'000, 10'100, 1);
    EXPECT_NEAR(weights[1] * 10'000 / (weights[0] * 100), std::pow(100, temperature), 0.001);
  }
  const std::vector<double> weights =
      shares({{.seconds = 100}, {.seconds = 900}, {.seconds = 5, .weight = 3}}, 0.5, 500 + 15);
  EXPECT_NEAR(weights[0] * 100 + weights[1] * 900 + weights[2] * 5, 515, 0.01);
  EXPECT_NEAR(weights[1] * 900 / (weights[0] * 100), 3, 0.001);
}

std::uint64_t total(double weight, std::uint64_t seed) {
  std::uint64_t sum = 0;
  for (int i = 0; i < 10'000; ++i) sum += copies(weight, seed, "BAC009S" + std::to_string(i));
  return sum;
}

TEST(Weight, WholeWeightsAreExact) {
  EXPECT_EQ(total(1, 0), 10'000U);
  EXPECT_EQ(total(3, 5), 30'000U);
  EXPECT_EQ(total(0, 5), 0U);
}

TEST(Weight, FractionsAreNear) {
  EXPECT_NEAR(static_cast<double>(total(0.5, 1)), 5'000, 200);
  EXPECT_NEAR(static_cast<double>(total(2.1, 1)), 21'000, 150);
}

TEST(Weight, TheSeedChoosesWhich) {
  int different = 0;
  for (int i = 0; i < 1000; ++i) {
    const std::string key = "k" + std::to_string(i);
    different += copies(0.5, 1, key) != copies(0.5, 2, key) ? 1 : 0;
    EXPECT_EQ(copies(0.5, 1, key), copies(0.5, 1, key));
  }
  EXPECT_NEAR(different, 500, 100);
}

}  // namespace

}  // namespace shardmill::deal
