#include "repack/plan_size.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "archive/tar_building.hpp"
#include "base/error.hpp"
#include "repack/plan.hpp"
#include "support/made_dataset.hpp"

namespace shardmill::repack {
namespace {

using ::testing::HasSubstr;

RepackPlan plan_of(std::uint64_t samples, std::uint64_t bytes, std::uint32_t shards) {
  RepackPlan plan;
  plan.estimate.samples = samples;
  plan.estimate.bytes = bytes;
  plan.shards = shards;
  return plan;
}

TEST(PlannedBytes, TarsAndTheirRecords) {
  // Samples that are held back are written twice: 16 of each shard.
  EXPECT_EQ(planned_bytes(plan_of(1'000'000, 1'000'000'000, 10), 4),
            1'000'000'000u + 1'000'000'000u + 160'000u);
  EXPECT_EQ(planned_bytes(plan_of(0, 0, 1), 4), 0u);
  // Where all are held back, all are written twice, and no more.
  EXPECT_EQ(planned_bytes(plan_of(10, 1000, 10), 4), 2000u + 10'000u);
}

TEST(PlannedBytes, ShardsThatAreCompressedAtATimeAndParity) {
  RepackPlan plan = plan_of(1'000'000, 1'000'000'000, 10);
  const std::uint64_t plain = planned_bytes(plan, 4);
  plan.recipe.codec = codec::Codec::zstd;
  EXPECT_EQ(planned_bytes(plan, 4), plain + 400'000'000);
  EXPECT_EQ(planned_bytes(plan, 100), plain + 1'000'000'000);
  plan.recipe.codec = codec::Codec::none;
  plan.recipe.parity = 1;
  EXPECT_EQ(planned_bytes(plan, 4), plain + 200'000'000);
}

TEST(PlannedBytes, OnlyWhatIsTaken) {
  RepackPlan plan = plan_of(1'000'000, 1'000'000'000, 1);
  plan.recipe.intake.limit = 1000;
  EXPECT_NEAR(static_cast<double>(planned_bytes(plan, 1)), 2'016'000, 1);
  plan.recipe.intake.limit = 2'000'000;
  EXPECT_EQ(planned_bytes(plan, 1), planned_bytes(plan_of(1'000'000, 1'000'000'000, 1), 1));
}

class ShardCountCheckTest : public ::testing::Test {
 protected:
  /// A plan of so many shards for two small samples.
  RepackPlan plan(std::uint32_t shards) {
    RepackOptions options;
    options.sources = {folder_.write("in.tar", archive::make_tar({{"a.txt", "x"},
                                                                  {"a.wav", testing::made_wav(900, 1)},
                                                                  {"b.wav", testing::made_wav(900, 2)}}))};
    options.out_folder = folder_.file("out");
    options.recipe.sizing = {.by = deal::ShardSizing::By::shards, .amount = 1};
    RepackPlan made = make_plan(options, reporter_);
    made.shards = shards;
    return made;
  }
  std::string problem(const RepackPlan& plan) {
    try {
      check_shard_count(plan, reporter_);
    } catch (const Error& error) {
      return error.what();
    }
    return "no problem";
  }

  testing::TemporaryFolder folder_;
  testing::SilentReporter reporter_;
};

TEST_F(ShardCountCheckTest, AFewShardsAreFoundOutAtTheEnd) {
  EXPECT_EQ(problem(plan(1)), "no problem");
  EXPECT_EQ(problem(plan(1000)), "no problem");
}

TEST_F(ShardCountCheckTest, ManyShardsNeedManySamples) {
  EXPECT_THAT(problem(plan(1001)),
              HasSubstr("1,001 shards were asked for, but the sources hold only about "));
  EXPECT_THAT(problem(plan(1001)), HasSubstr("ask for fewer shards"));
}

TEST_F(ShardCountCheckTest, AnEstimateThatWasMadeIsTaken) {
  RepackPlan many = plan(2000);
  many.estimate.samples = 500;
  EXPECT_EQ(problem(many), "no problem");  // An estimate may be wrong by four.
  many.estimate.samples = 499;
  EXPECT_THAT(problem(many),
              HasSubstr("2,000 shards were asked for, but the sources hold only about 499 samples"));
}

TEST_F(ShardCountCheckTest, ALimitIsKnownExactly) {
  RepackPlan few = plan(3);
  few.recipe.intake.limit = 3;
  EXPECT_EQ(problem(few), "no problem");
  few.recipe.intake.limit = 2;
  EXPECT_THAT(problem(few), HasSubstr("3 shards were asked for, but no more than 2 samples will be taken"));
}

using ::testing::DoubleNear;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

pipeline::Inputs datasets(const std::vector<std::string>& names) {
  pipeline::Inputs inputs;
  for (const std::string& name : names) inputs.datasets.push_back({.name = name});
  return inputs;
}

std::map<std::string, double> settle(const dataset::Recipe& recipe, const std::vector<double>& seconds) {
  const std::vector<std::string> names{"a", "b", "c"};
  return settle_shares(recipe,
                       datasets({names.begin(), names.begin() + static_cast<std::ptrdiff_t>(seconds.size())}),
                       seconds);
}

std::string problem(const dataset::Recipe& recipe, const std::vector<double>& seconds) {
  try {
    settle(recipe, seconds);
  } catch (const Error& error) {
    return error.what();
  }
  return "no problem";
}

TEST(SettleShares, WithoutWishesAllIsTakenOnce) {
  EXPECT_THAT(settle({}, {100, 300}), UnorderedElementsAre(Pair("a", 1), Pair("b", 1)));
}

TEST(SettleShares, ATakeIsAPartAndAWeightAMultiple) {
  dataset::Recipe recipe;
  recipe.takes = {{"a", 25}};
  recipe.weights = {{"b", 3}};
  EXPECT_THAT(settle(recipe, {100, 300, 10}),
              UnorderedElementsAre(Pair("a", 0.25), Pair("b", 3), Pair("c", 1)));
  // A take of all the others together.
  recipe = {};
  recipe.takes = {{"a", 25}, {"", 60}};
  EXPECT_THAT(settle(recipe, {100, 300, 300}),
              UnorderedElementsAre(Pair("a", DoubleNear(0.25, 1e-9)), Pair("b", DoubleNear(0.1, 1e-9)),
                                   Pair("c", DoubleNear(0.1, 1e-9))));
}

TEST(SettleShares, ATemperatureBringsThemCloserAndKeepsTheWhole) {
  dataset::Recipe recipe;
  recipe.temperature = 0;  // all alike
  EXPECT_THAT(settle(recipe, {100, 300}),
              UnorderedElementsAre(Pair("a", DoubleNear(2, 1e-9)), Pair("b", DoubleNear(2.0 / 3, 1e-6))));
  recipe.temperature = 1;  // as they are
  EXPECT_THAT(settle(recipe, {100, 300}),
              UnorderedElementsAre(Pair("a", DoubleNear(1, 1e-9)), Pair("b", DoubleNear(1, 1e-9))));
}

TEST(SettleShares, WhatCannotBeReachedIsAnError) {
  dataset::Recipe recipe;
  recipe.takes = {{"a", 300}};
  EXPECT_THAT(problem(recipe, {100, 300}),
              HasSubstr("the dataset 'a' holds about 1.7 min, and 5.0 min were asked for"));
  recipe.takes = {{"", 500}};
  EXPECT_THAT(problem(recipe, {100, 300}), HasSubstr("the sources hold about"));
  recipe = {};
  recipe.takes = {{"a", 1}};
  recipe.weights = {{"a", 2}};
  EXPECT_THAT(problem(recipe, {100, 300}),
              HasSubstr("a weight and an amount to take are both given for the dataset 'a'"));
  recipe = {};
  recipe.temperature = 0;
  EXPECT_THAT(problem(recipe, {1, 10'000}), HasSubstr("the dataset 'a' would be taken 5000.5 times"));
}

TEST(SecondsOfDatasets, FromALookAtTheSourcesOrFromTheRecordsOfADataset) {
  testing::MadeDataset made;
  testing::SilentReporter reporter;
  for (const std::string& source : {"x=" + made.source(), "x=" + made.folder(), made.folder()}) {
    RepackOptions options;
    options.sources = {source};
    options.out_folder = made.folder() + "-2";
    options.recipe.sizing = {.by = deal::ShardSizing::By::shards, .amount = 1};
    const RepackPlan plan = make_plan(options, reporter);
    const auto seconds = seconds_of_datasets(plan.inputs, plan.recipe.intake, reporter);
    ASSERT_EQ(seconds.size(), 1u);
    // Whole seconds are near enough for an estimate.
    EXPECT_NEAR(seconds[0], 1.45, 0.5) << source;
  }
}

}  // namespace
}  // namespace shardmill::repack
