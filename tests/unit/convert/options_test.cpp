#include "convert/options.hpp"

#include <gtest/gtest.h>

namespace shardmill::convert {
namespace {

TEST(ConvertSummaryTest, CountsTheShardsOfEachOutcome) {
  using Outcome = ConvertedShard::Outcome;
  ConvertSummary summary;
  EXPECT_EQ(summary.count(Outcome::failed), 0U);
  summary.shards.resize(6);  // that failed, as long as nobody says otherwise
  summary.shards[1].outcome = summary.shards[3].outcome = Outcome::converted;
  summary.shards[5].outcome = Outcome::up_to_date;
  EXPECT_EQ(summary.count(Outcome::converted), 2U);
  EXPECT_EQ(summary.count(Outcome::up_to_date), 1U);
  EXPECT_EQ(summary.count(Outcome::failed), 3U);
}

}  // namespace
}  // namespace shardmill::convert
