#include "ranks/ranks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/sections_text.hpp"

namespace shardmill::report {
namespace {

TEST(ReportRanks, SaysWhatEachRankGetsOnceThereIsAPlan) {
  testing::MadeDataset made;
  const std::string without = section_text(add_ranks, facts_of(made));
  ranks::run_ranks({.targets = {made.folder()}, .world_sizes = {2}, .loaders = {}}, made.workers(),
                   made.reporter());
  const ReportFacts facts = facts_of(made);
  ASSERT_TRUE(facts.plan);
  EXPECT_EQ(facts.plan->worlds.size(), 1u);
  EXPECT_NE(section_text(add_ranks, facts), without);
  EXPECT_THAT(section_text(add_ranks, facts), ::testing::HasSubstr("2 ranks"));
}

}  // namespace
}  // namespace shardmill::report
