#include "ranks/epochs.hpp"

#include <gtest/gtest.h>

#include "support/silent_reporter.hpp"

namespace shardmill::ranks {
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
