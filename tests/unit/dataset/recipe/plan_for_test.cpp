#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "dataset/recipe/values.hpp"

namespace shardmill::dataset {
namespace {

std::string problem_of_plan(std::string_view text) {
  try {
    plan_for_of(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(PlanFor, TextThereAndBack) {
  const deal::PlanFor plan{.loader = deal::Loader::webdataset, .batch_samples = 16, .ranks = 8, .workers = 4};
  EXPECT_EQ(plan_for_text(plan), "webdataset,static=16,ranks=8,workers=4");
  EXPECT_EQ(plan_for_of(plan_for_text(plan)), plan);
  EXPECT_EQ(plan_for_of("wenet,ranks=3,static=2"),
            (deal::PlanFor{.loader = deal::Loader::wenet, .batch_samples = 2, .ranks = 3}));
  EXPECT_EQ(plan_for_text(std::nullopt), "none");
  EXPECT_EQ(plan_for_of("none"), std::nullopt);
}

TEST(PlanFor, StepsOfARank) {
  const deal::PlanFor plan{.loader = deal::Loader::wenet, .batch_samples = 10, .ranks = 2, .workers = 3};
  EXPECT_EQ(plan.multiple_of(), 6u);
  EXPECT_EQ(plan.steps(600), 3u * 10);
  EXPECT_EQ(plan.steps(606), 3u * 11);
}

TEST(PlanFor, WhatMakesNoSense) {
  using ::testing::HasSubstr;
  EXPECT_THAT(problem_of_plan("wenet,static=0,ranks=1"), HasSubstr("static=0"));
  EXPECT_THAT(problem_of_plan("wenet,static=16,ranks=9999999"), HasSubstr("1 to 1000000"));
  EXPECT_THAT(problem_of_plan("lhotse,static=16,ranks=1"), HasSubstr("lhotse"));
  EXPECT_THAT(problem_of_plan("wenet,dynamic=12000,ranks=1"), HasSubstr("variable size"));
  EXPECT_THAT(problem_of_plan("static=16,ranks=1"), HasSubstr("unknown loader"));
  EXPECT_THAT(problem_of_plan("wenet,ranks=1"), HasSubstr("lacks"));
  EXPECT_THAT(problem_of_plan("wenet,static=16,ranks=8,ranks=4"), HasSubstr("ranks= twice"));
  EXPECT_THAT(problem_of_plan("wenet,static=16,static=16,ranks=8"), HasSubstr("static= twice"));
  EXPECT_THAT(problem_of_plan("wenet,workers=1,static=16,workers=2,ranks=8"), HasSubstr("workers= twice"));
  EXPECT_THAT(problem_of_plan(""), HasSubstr("unknown loader"));
}

}  // namespace
}  // namespace shardmill::dataset
