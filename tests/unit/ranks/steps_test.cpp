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

namespace {

using Steps = std::vector<std::uint64_t>;

/// Of one rank with one worker, that sorts all samples; `memory` bytes bound the epochs that are shuffled at
/// once.
std::vector<Steps> dynamic_steps(deal::Loader loader, std::uint64_t epochs, std::uint64_t memory = 1 << 20) {
  const deal::ShardLengths lengths{
      {{.frames = 500}, {.frames = 100}, {.frames = 100}, {.frames = 100}, {.frames = 200}}};
  const std::vector<deal::ShardNumbers> orders{deal::list_order(1)};
  const deal::Batching batching{.by = deal::Batching::By::frames, .most = 500, .sort_buffer = 5};
  pipeline::Workers workers(3, memory);
  testing::SilentReporter reporter;
  std::vector<Steps> steps;
  for (const deal::EpochSteps& epoch : steps_of_epochs({.loader = loader,
                                       .team = {.world_size = 1, .workers = 1},
                                       .orders = orders,
                                       .epochs = epochs,
                                       .seed = 1,
                                       .lengths = lengths,
                                       .batching = batching},
                                                       workers, reporter))
    steps.push_back(epoch.steps);
  return steps;
}

TEST(StepsOfEpochs, WeNetGoesOnWithTheLongestSampleOfTheEpochBefore) {
  // Three of 100, then 200, as 200 x 4 is too long, and 500. Later one 100 is alone, because 500 x 2 is too
  // long.
  std::vector<Steps> expected(9, Steps{4});
  expected[0] = Steps{3};
  EXPECT_EQ(dynamic_steps(deal::Loader::wenet, 9), expected);
  EXPECT_EQ(dynamic_steps(deal::Loader::wenet, 9, 1), expected) << "in any number at a time";
  EXPECT_EQ(dynamic_steps(deal::Loader::wenet_old, 9), std::vector<Steps>(9, Steps{3})) << "it forgets";
  EXPECT_EQ(dynamic_steps(deal::Loader::wenet, 0), std::vector<Steps>{{3}});
}

}  // namespace

}  // namespace shardmill::ranks
