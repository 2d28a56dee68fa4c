#include "shardmill/ranks.hpp"

#include <gtest/gtest.h>

#include <set>

#include "support/made_dataset.hpp"

namespace shardmill {
namespace {

TEST(LibraryRanks, SharesAndPlanHoldAllShards) {
  const testing::MadeDataset made;
  Observer observer;
  const RanksSummary summary = run_ranks({.targets = {made.folder()}, .world_size = 2}, observer);
  ASSERT_EQ(summary.by_loader.size(), 2u);
  std::uint64_t samples = 0;
  for (const RankShare& rank : summary.by_plan) samples += rank.samples;
  EXPECT_EQ(samples, testing::MadeDataset::kSamples);
  std::set<std::string> planned;
  for (const auto& rank : summary.plan)
    for (const auto& worker : rank) planned.insert(worker.begin(), worker.end());
  EXPECT_TRUE(planned.contains(made.path("shards/audio_000000001.tar")));
}

TEST(LibraryRanks, RefusesWhatMakesNoSense) {
  const testing::MadeDataset made;
  Observer observer;
  EXPECT_THROW(run_ranks({.targets = {made.folder()}, .world_size = 0}, observer), UsageError);
  EXPECT_THROW(run_ranks({.targets = {made.folder()}, .world_size = 1000}, observer), UsageError);
  EXPECT_THROW(run_ranks({.targets = {made.folder()}, .world_size = 1, .loader = "nobody"}, observer),
               UsageError);
  EXPECT_THROW(run_ranks({.targets = {}, .world_size = 1}, observer), UsageError);
}

}  // namespace
}  // namespace shardmill
