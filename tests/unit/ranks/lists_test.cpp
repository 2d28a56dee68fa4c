#include "ranks/lists.hpp"

#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "base/error.hpp"
#include "commands/ranks.hpp"
#include "support/made_dataset.hpp"

namespace shardmill::ranks {
namespace {

RanksSummary summary(std::vector<std::size_t> world_sizes) {
  testing::MadeDataset made([](repack::RepackOptions& options) { options.recipe.sizing.amount = 5; });
  return commands::run_ranks(
      {.targets = {made.folder()}, .world_sizes = std::move(world_sizes), .loaders = {}}, made.workers(),
      made.reporter());
}

TEST(RankFiles, EachWorldNamesEachShardOnce) {
  const RanksSummary planned = summary({2, 3});
  const dataset::RankFiles files = rank_files_of(planned);
  EXPECT_EQ(files.count("plan.json"), 1u);
  std::map<std::string, std::multiset<std::string>> named;  // by folder
  for (const auto& [name, text] : files) {
    if (name.find("rank-") == std::string::npos) continue;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) named[name.substr(0, name.find('/'))].insert(line);
  }
  ASSERT_EQ(named.size(), 2u);
  std::multiset<std::string> all;
  for (const RankShard& shard : planned.shards.shards) all.insert(shard.list_path);
  for (const auto& [world, shards] : named) EXPECT_EQ(shards, all) << world;
}

TEST(RankFiles, APathThatAListCannotHoldIsAnError) {
  RanksSummary planned = summary({2});
  planned.shards.shards[0].list_path = "two\nlines";
  EXPECT_THROW(rank_files_of(planned), Error);
}

}  // namespace
}  // namespace shardmill::ranks
