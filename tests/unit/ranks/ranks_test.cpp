#include "ranks/ranks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <numeric>
#include <set>

#include "base/error.hpp"
#include "check/verification.hpp"
#include "manifest/layout.hpp"
#include "manifest/rank_plan_record.hpp"
#include "support/made_dataset.hpp"

namespace shardmill::ranks {

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
  EXPECT_EQ(check::run_verify({.targets = {made.folder()}, .against = {}}, made.workers(), made.reporter())
                .count(Finding::Severity::finding),
            0u);
}

TEST(Ranks, ADryRunWritesNothing) {
  MadeDataset made;
  RanksOptions options{.targets = {made.folder()}, .world_sizes = {2}, .loaders = {}};
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

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::MadeDataset;

class DurationsTest : public ::testing::Test {
 protected:
  std::vector<double> seconds(std::size_t shards) {
    return sample_seconds(folder_.path().string(), shards, workers_, reporter_);
  }
  std::string problem(std::size_t shards) {
    try {
      seconds(shards);
    } catch (const Error& error) {
      return error.what();
    }
    return "no problem";
  }

  testing::TemporaryFolder folder_;
  testing::SilentReporter reporter_;
  pipeline::Workers workers_{2, std::uint64_t{64} << 20};
};

TEST_F(DurationsTest, OfAllShardsInTheirOrder) {
  folder_.write("manifests/manifest_000000000.json", "{\"duration\":1.5,\"x\":1}\n{\"duration\":0.25}\n");
  folder_.write("manifests/manifest_000000001.json", "");
  folder_.write("manifests/manifest_000000002.json", "{\"duration\":3}\n");
  EXPECT_THAT(seconds(3), ElementsAre(1.5, 0.25, 3));
  EXPECT_THAT(seconds(0), IsEmpty());
}

TEST_F(DurationsTest, OfARealDatasetAreThoseOfItsSamples) {
  MadeDataset made;
  const auto all = sample_seconds(made.folder(), 2, made.workers(), made.reporter());
  EXPECT_EQ(all.size(), MadeDataset::kSamples);
  // Ten samples of 0.1 s, each 10 ms longer than the one before.
  EXPECT_NEAR(std::accumulate(all.begin(), all.end(), 0.0), 1.45, 1e-9);
}

TEST_F(DurationsTest, WhatIsWrongWithAManifestIsToldWithItsLine) {
  folder_.write("manifests/manifest_000000000.json", "{\"duration\":1.5}\n{\"text\":\"x\"}\n");
  EXPECT_THAT(problem(1), HasSubstr("manifest_000000000.json: line 2: "));
  folder_.write("manifests/manifest_000000000.json", "{\"duration\":\"1.5\"}\n");
  EXPECT_THAT(problem(1), HasSubstr("manifest_000000000.json: line 1: 'duration' is not a number"));
  folder_.write("manifests/manifest_000000000.json", "{\"duration\":1.5");
  EXPECT_THAT(problem(1), HasSubstr("manifest_000000000.json: line 1: "));
  EXPECT_THAT(problem(2), HasSubstr("manifest_"));
}

}  // namespace

}  // namespace shardmill::ranks
