#include "commands/ranks.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "base/error.hpp"
#include "commands/verify.hpp"
#include "manifest/path_lists.hpp"
#include "manifest/rank_plan_record.hpp"
#include "support/made_dataset.hpp"

namespace shardmill::commands {
namespace {

using testing::MadeDataset;

TEST(Ranks, TheListsOfARunNameEachShardOnceAndVerifyAgrees) {
  MadeDataset made;
  const auto summary = run_ranks({.targets = {made.folder()}, .world_sizes = {2}, .loaders = {}},
                                 made.workers(), made.reporter());
  EXPECT_EQ(summary.out_folder, made.path("ranks"));
  std::multiset<std::string> named;
  const auto plan = manifest::read_rank_plan(made.path("ranks/plan.json"));
  for (const auto& rank : plan.worlds.at(0).ranks) {
    for (const std::string& line : manifest::read_list(made.path("ranks/" + rank.list))) named.insert(line);
  }
  const auto list = manifest::read_list(made.path("data.list"));
  EXPECT_EQ(named, std::multiset<std::string>(list.begin(), list.end()));
  EXPECT_EQ(run_verify({.targets = {made.folder()}, .against = {}}, made.workers(), made.reporter())
                .count(Finding::Severity::finding),
            0u);
}

TEST(Ranks, ADryRunWritesNothing) {
  MadeDataset made;
  ranks::RanksOptions options{.targets = {made.folder()}, .world_sizes = {2}, .loaders = {}};
  options.dry_run = true;
  EXPECT_EQ(run_ranks(options, made.workers(), made.reporter()).out_folder, "");
  EXPECT_FALSE(std::filesystem::exists(made.path("ranks")));
}

TEST(Ranks, MoreRanksThanShardsMakeNoSense) {
  MadeDataset made;
  EXPECT_THROW(run_ranks({.targets = {made.folder()}, .world_sizes = {3}, .loaders = {}}, made.workers(),
                         made.reporter()),
               UsageError);
}

}  // namespace
}  // namespace shardmill::commands
