#include "repack/dataset_shares.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "repack/plan.hpp"
#include "support/made_dataset.hpp"

namespace shardmill::repack {
namespace {

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
