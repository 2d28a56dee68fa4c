#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "base/error.hpp"
#include "ranks/ranks.hpp"
#include "support/made_dataset.hpp"
#include "support/silent_reporter.hpp"

namespace shardmill::ranks {

namespace {

RanksOptions options(std::vector<std::size_t> world_sizes, std::size_t workers = 1) {
  RanksOptions made{.targets = {"shards"}, .world_sizes = std::move(world_sizes), .loaders = {}};
  made.workers = workers;
  return made;
}

/// Shards of one, two, three... seconds.
RanksSummary shards_of_seconds(std::size_t count) {
  RanksSummary summary;
  for (std::size_t i = 1; i <= count; ++i)
    summary.shards.loads.push_back(
        {.shards = 1, .samples = 1, .seconds = static_cast<double>(i), .bytes = 100});
  return summary;
}

TEST(RankWorlds, MoreRanksThanShardsAreRefused) {
  EXPECT_NO_THROW(check_world_sizes(options({1, 4}), 4));
  EXPECT_THROW(check_world_sizes(options({1, 5}), 4), UsageError);
}

TEST(RankWorlds, EachSizeHasItsLoadersAndItsPlan) {
  RanksOptions two = options({1, 2});
  two.loaders = {deal::Loader::wenet};
  testing::SilentReporter reporter;
  pipeline::Workers workers(2, 1 << 20);
  const auto worlds = world_reports(two, shards_of_seconds(4), workers, reporter);
  ASSERT_EQ(worlds.size(), 2u);
  EXPECT_EQ(worlds[0].team.world_size, 1u);
  ASSERT_EQ(worlds[1].loaders.size(), 1u);
  EXPECT_EQ(worlds[1].loaders[0].loader, deal::Loader::wenet);
  EXPECT_FALSE(worlds[1].loaders[0].epoch) << "the list as it stands";
  // The plan gives each of two ranks five of ten seconds.
  EXPECT_DOUBLE_EQ(worlds[1].plan.worst_idle_share(), 0);
}

TEST(RankWorlds, ShuffledEpochsAreJudgedByTheWorst) {
  RanksOptions shuffled = options({2});
  shuffled.loaders = {deal::Loader::wenet};
  testing::SilentReporter reporter;
  pipeline::Workers workers(2, 1 << 20);
  const RanksSummary summary = shards_of_seconds(6);
  double worst = 0;
  for (shuffled.epochs = 1; shuffled.epochs <= 8; ++shuffled.epochs) {
    const auto worlds = world_reports(shuffled, summary, workers, reporter);
    const double share = worlds[0].loaders[0].load.worst_idle_share();
    EXPECT_GE(share, worst) << "one epoch more cannot make the worst better";
    worst = share;
  }
}

TEST(RankWorlds, TheMultipleSuitsAllTeams) {
  EXPECT_EQ(common_multiple(options({4, 6}, 2)), 24u);
  EXPECT_EQ(common_multiple(options({999'983, 999'979})), 0u) << "too large to be useful";
  EXPECT_EQ(even_world_sizes(12, 2), (std::vector<std::size_t>{1, 2, 3, 6}));
}

}  // namespace

namespace {

RanksSummary summary(std::vector<std::size_t> world_sizes) {
  testing::MadeDataset made([](repack::RepackOptions& options) { options.recipe.sizing.amount = 5; });
  return ranks::run_ranks({.targets = {made.folder()}, .world_sizes = std::move(world_sizes), .loaders = {}},
                          made.workers(), made.reporter());
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
