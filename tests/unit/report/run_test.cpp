#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/sections_text.hpp"

namespace shardmill::report {
namespace {

TEST(ReportRun, SaysHowAndWhereItWasMade) {
  testing::MadeDataset made;
  ReportFacts facts = facts_of(made);
  facts.records.run->host = "node<7>";
  const std::string text = section_text(add_run, facts);
  EXPECT_THAT(text, ::testing::HasSubstr("shardmill repack for a test"));
  EXPECT_THAT(text, ::testing::HasSubstr("node&lt;7"));
  EXPECT_THAT(text, ::testing::HasSubstr(facts.records.run->cpu));
}

}  // namespace
}  // namespace shardmill::report
