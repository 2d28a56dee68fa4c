#include "page/axis.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

namespace shardmill::page {
namespace {

using testing::ElementsAre;

std::vector<std::string> labels(const Axis& axis) {
  std::vector<std::string> labels;
  for (const double mark : axis.marks()) labels.push_back(axis.label(mark));
  return labels;
}

TEST(Axis, MarksRoundNumbers) {
  EXPECT_THAT(labels(axis_for(0, 100, 4)), ElementsAre("0", "50", "100"));
  EXPECT_THAT(labels(axis_for(0, 0.7, 4)), ElementsAre("0.0", "0.2", "0.4", "0.6", "0.8"));
  EXPECT_THAT(labels(axis_for(0, 4321, 5)), ElementsAre("0", "1,000", "2,000", "3,000", "4,000", "5,000"));
  EXPECT_THAT(labels(axis_for(0, 2.5e6, 3)), ElementsAre("0", "1,000,000", "2,000,000", "3,000,000"));
}

TEST(Axis, HoldsNullAndBothEnds) {
  EXPECT_THAT(labels(axis_for(-3, 6, 4)), ElementsAre("\u22125", "0", "5", "10"));
  EXPECT_THAT(labels(axis_for(0, 0, 4)), ElementsAre("0", "1"));
}

TEST(Axis, MayEndBetweenMarks) {
  Axis axis = axis_for(0, 10, 5);
  axis.highest = 9.5;
  EXPECT_THAT(labels(axis), ElementsAre("0", "2", "4", "6", "8"));
}

TEST(RunsOf, HoldEveryItemOnce) {
  for (const std::size_t count : {0u, 1u, 7u, 200u, 201u, 10'000u}) {
    std::size_t next = 0;
    for (const auto& run : runs_of(count, 200)) {
      EXPECT_EQ(run.begin, next);
      EXPECT_GT(run.end, run.begin);
      EXPECT_LE(run.size(), (count + 199) / 200);
      next = run.end;
    }
    EXPECT_EQ(next, count);
  }
}

TEST(ExtentOf, IsLowestMeanAndHighest) {
  const std::array values{3.0, 1.0, 5.0};
  const Extent extent = extent_of(values);
  EXPECT_EQ(extent.lowest, 1);
  EXPECT_EQ(extent.mean, 3);
  EXPECT_EQ(extent.highest, 5);
}

}  // namespace
}  // namespace shardmill::page
