#include "cli/output/plan_for_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace shardmill::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const deal::PlanFor kTwoRanks{.loader = deal::Loader::wenet, .batch_samples = 10, .ranks = 2, .workers = 3};

TEST(PlanForText, SaysTheStepsOfAllRanks) {
  EXPECT_EQ(plan_for_text(kTwoRanks, 126),
            "wenet: batches of 10 samples take 9 steps on each of 2 ranks, in every epoch");
}

TEST(PlanForText, SaysSoWhereNoBatchIsFull) {
  EXPECT_THAT(plan_for_text(kTwoRanks, 54), HasSubstr("each worker reads only 9 samples"));
  EXPECT_THAT(plan_for_text(kTwoRanks, 60), Not(HasSubstr("only")));
}

TEST(KeptPlanText, UnevenShardsKeepNoPlan) {
  manifest::DatasetRecord dataset;
  dataset.samples = 60;
  dataset.shards = 6;
  dataset.balance.min_samples = 10;
  dataset.balance.max_samples = 10;
  EXPECT_EQ(kept_plan_text(kTwoRanks, dataset), plan_for_text(kTwoRanks, 60));
  dataset.shards = 4;
  EXPECT_THAT(kept_plan_text(kTwoRanks, dataset), HasSubstr("4 shards are not a multiple of 6"));
  dataset.balance.max_samples = 11;
  EXPECT_THAT(kept_plan_text(kTwoRanks, dataset), HasSubstr("not hold the same number"));
}

}  // namespace
}  // namespace shardmill::cli
