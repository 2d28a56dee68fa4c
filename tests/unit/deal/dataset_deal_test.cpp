#include "deal/dataset_deal.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

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
}  // namespace shardmill::deal
