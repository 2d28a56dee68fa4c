#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/sections_text.hpp"

namespace shardmill::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(ReportBalance, SaysHowMuchAudioTheShardsHold) {
  testing::MadeDataset made;
  ReportFacts facts = facts_of(made);
  facts.records.shards->at(0).seconds = 100;
  facts.records.shards->at(1).seconds = 140;
  const std::string text = section_text(add_balance, facts);
  EXPECT_THAT(text, HasSubstr("The 2 shards hold 100.000 s to 140.000 s, spread 40.00 s, 33.3% of the mean"));
  EXPECT_THAT(text, Not(HasSubstr("nan")));
}

TEST(ReportBalance, OneShardHasNothingToBeEvenWith) {
  testing::MadeDataset made([](repack::RepackOptions& options) { options.recipe.sizing.amount = 1; });
  const std::string text = section_text(add_balance, facts_of(made));
  EXPECT_THAT(text, HasSubstr("1.450 s"));
  EXPECT_THAT(text, Not(HasSubstr("nan")));
  EXPECT_THAT(text, Not(HasSubstr("inf ")));
}

}  // namespace
}  // namespace shardmill::report
