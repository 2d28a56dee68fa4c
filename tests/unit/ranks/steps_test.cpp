#include "ranks/steps.hpp"

#include <gtest/gtest.h>

#include "support/silent_reporter.hpp"

namespace shardmill::ranks {
namespace {

deal::ShardLengths shards_of(const std::vector<std::size_t>& samples) {
  deal::ShardLengths shards;
  for (const std::size_t count : samples)
    shards.emplace_back(count, deal::SampleLength{.seconds = 1, .frames = 98});
  return shards;
}

StepsReport count(const deal::ShardLengths& lengths, const deal::Batching& batching, deal::Team team,
                  std::uint64_t epochs = 2) {
  pipeline::Workers workers(2, 1 << 20);
  testing::SilentReporter reporter;
  const std::vector<deal::ShardNumbers> orders{deal::list_order(lengths.size())};
  return count_steps({.loader = deal::Loader::wenet,
                      .team = team,
                      .orders = orders,
                      .epochs = epochs,
                      .seed = 1,
                      .lengths = lengths,
                      .batching = batching},
                     workers, reporter);
}

TEST(CountSteps, EvenShardsNeedNoAdvice) {
  const StepsReport report = count(shards_of({10, 10}), {.most = 4}, {.world_size = 2, .workers = 1});
  EXPECT_EQ(report.counted.epochs.size(), 2u);
  EXPECT_EQ(report.counted.fewest(), 3u);
  EXPECT_EQ(report.counted.most(), 3u);
  EXPECT_EQ(report.counted.uneven(), 0u);
  EXPECT_EQ(report.counted.mean_padding(), 0);
  EXPECT_EQ(report.counted.mean_idle(), 1 - 40.0 / 40);
  EXPECT_FALSE(report.if_even);
  EXPECT_FALSE(report.static_batches);
}

TEST(CountSteps, WhatEvenShardsWouldGive) {
  const StepsReport report = count(shards_of({9, 8, 8, 8}), {.most = 4}, {.world_size = 4, .workers = 1});
  EXPECT_EQ(report.counted.fewest(), 2u);
  EXPECT_EQ(report.counted.most(), 3u);
  EXPECT_EQ(report.counted.uneven(), 2u);
  EXPECT_EQ(report.if_even, 2u);
  EXPECT_FALSE(count(shards_of({9, 8, 8}), {.most = 4}, {.world_size = 2, .workers = 1}).if_even)
      << "they do not divide";
}

TEST(CountSteps, WhatStaticBatchesWouldGive) {
  const StepsReport report = count(shards_of({10, 20}), {.by = deal::Batching::By::frames, .most = 500},
                                   {.world_size = 2, .workers = 1}, 0);
  EXPECT_EQ(report.counted.epochs.size(), 1u);
  EXPECT_EQ(report.counted.epochs[0].steps, (std::vector<std::uint64_t>{2, 4}));
  ASSERT_TRUE(report.static_batches);
  EXPECT_EQ(report.static_batches->samples, 5u);
  EXPECT_EQ(report.static_batches->counted.epochs[0].steps, (std::vector<std::uint64_t>{2, 4}));
}

TEST(SecondsOf, AreThoseOfAllShards) {
  EXPECT_EQ(seconds_of({{{.seconds = 3}, {.seconds = 1}}, {}, {{.seconds = 2}}}),
            (std::vector<double>{3, 1, 2}));
}

}  // namespace
}  // namespace shardmill::ranks
