#include "page/chart.hpp"

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

namespace {

using testing::HasSubstr;

Chart small_chart() {
  return {.about = "two <columns>",
          .y_title = "hours",
          .x_title = "shard",
          .y = axis_for(0, 10, 2),
          .columns = {{.title = "first & last", .segments = {{0, 5, "bar"}}},
                      {.title = "cut", .segments = {{0, 50, "bar"}}}},
          .ticks = number_ticks(2, 2, 10)};
}

std::string drawn(const Chart& chart) {
  std::string out;
  MarkupWriter markup(out);
  draw(markup, chart);
  return out;
}

TEST(Chart, SaysValuesAsText) {
  const std::string svg = drawn(small_chart());
  EXPECT_THAT(svg, HasSubstr("aria-label=\"two &lt;columns&gt;\""));
  EXPECT_THAT(svg, HasSubstr("<title>first &amp; last</title>"));
}

TEST(Chart, HeightsFollowTheAxisAndEndWithIt) {
  // Between the top at 26 and the base line at 220 - 38 = 182 there are 156 pixels.
  const std::string svg = drawn(small_chart());
  EXPECT_THAT(svg, HasSubstr("y=\"104\" width=\"58\" height=\"78\" class=\"bar\""));
  EXPECT_THAT(svg, HasSubstr("y=\"26\" width=\"58\" height=\"156\" class=\"bar\""));
}

/// A chart of as many columns as labels.
Chart labelled_chart(const std::vector<std::string>& labels) {
  Chart chart = small_chart();
  chart.columns.clear();
  chart.ticks.clear();
  for (const std::string& label : labels) {
    chart.ticks.push_back({static_cast<double>(chart.columns.size()) + 0.5, label});
    chart.columns.push_back({.title = label, .segments = {{0, 5, "bar"}}});
  }
  return chart;
}

TEST(Chart, ColumnsAreAsWideAsTheirLabels) {
  const std::string svg = drawn(labelled_chart({"wenet 4", "wenet-old 4", "webdataset 4", "nemo 4"}));
  // Twelve letters of 6.6 pixels and 8 between two labels are 87.2 from middle to middle.
  EXPECT_THAT(svg, HasSubstr("x=\"107.6\" y=\"199\""));
  EXPECT_THAT(svg, HasSubstr("x=\"194.8\" y=\"199\""));
}

TEST(Chart, LabelsThatWouldTouchStandInSeveralRows) {
  const std::string svg = drawn(labelled_chart(std::vector<std::string>(20, "webdataset 4")));
  EXPECT_THAT(svg, HasSubstr("0 0 960 233"));
  EXPECT_THAT(svg, HasSubstr("x=\"86.1\" y=\"199\""));
  EXPECT_THAT(svg, HasSubstr("x=\"130.3\" y=\"212\""));
  EXPECT_THAT(svg, HasSubstr("x=\"174.5\" y=\"199\""));
}

TEST(Chart, FewColumnsMakeASmallPicture) {
  EXPECT_THAT(drawn(small_chart()), HasSubstr("viewBox=\"0 0 412 220\" class=\"\""));
  EXPECT_THAT(drawn(labelled_chart(std::vector<std::string>(20, "1"))), HasSubstr("class=\"roomy\""));
}

TEST(Chart, AWideOneComesAgainForNarrowWindows) {
  const std::string svg = drawn(labelled_chart(std::vector<std::string>(20, "1")));
  EXPECT_THAT(svg, HasSubstr("viewBox=\"0 0 372 220\" class=\"slim\""));
  EXPECT_THAT(drawn(small_chart()), testing::Not(HasSubstr("slim")));
}

TEST(Chart, TitlesOfNarrowChartsAreWhole) {
  Chart chart = labelled_chart({"0"});
  chart.x_title = "source shard, in order";  // 22 letters of 6.6 pixels, more than 64 and one column of 64
  EXPECT_THAT(drawn(chart), HasSubstr("x=\"145.2\" y=\"215\" class=\"name end\""));
}

TEST(NumberTicks, StandBelowTheMiddleOfTheirColumns) {
  const auto ticks = number_ticks(3, 3, 10);
  ASSERT_EQ(ticks.size(), 3u);
  EXPECT_EQ(ticks[2].label, "2");
  EXPECT_DOUBLE_EQ(ticks[2].place, 2.5);
  const auto many = number_ticks(10'000, 200, 10);
  ASSERT_EQ(many.size(), 10u);
  EXPECT_EQ(many[1].label, "1,000");
  EXPECT_DOUBLE_EQ(many[1].place, 20.01);
}

}  // namespace

}  // namespace shardmill::page
