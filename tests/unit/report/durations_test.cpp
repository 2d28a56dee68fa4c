#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/sections_text.hpp"

namespace shardmill::report {
namespace {

TEST(ReportDurations, SaysHowLongSamplesAre) {
  testing::MadeDataset made;
  ReportFacts facts = facts_of(made);
  for (int i = 0; i < 1000; ++i) facts.durations["set"].add(std::chrono::milliseconds(2500));
  const std::string text = section_text(add_durations, facts);
  EXPECT_THAT(text, ::testing::HasSubstr("2.5"));   // the median
  EXPECT_THAT(text, ::testing::HasSubstr("0.10"));  // the shortest
}

}  // namespace
}  // namespace shardmill::report
