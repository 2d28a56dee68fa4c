#include "repack/split/plan.hpp"

#include <gmock/gmock.h>

#include <chrono>
#include <string>

#include "base/error.hpp"
#include "repack/run_case.hpp"

namespace shardmill::repack {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class SplitPlanTest : public RunCase {
 protected:
  SplitPlan plan() {
    asked_.emplace(SplitOptions{.whole = options_, .wish = wish_});
    return make_split_plan(*asked_, reporter_);
  }

  deal::SplitWish wish_{.by = deal::SplitBy::key, .amounts = {{"dev", 2s}, {"test", 1s}}};
  std::optional<SplitOptions> asked_;
};

TEST_F(SplitPlanTest, NamesTheDatasetsAndTheirFolders) {
  const SplitPlan made = plan();
  EXPECT_THAT(made.names, ElementsAre("train", "dev", "test"));
  EXPECT_EQ(made.folder_of("dev"), out("dev"));
  EXPECT_EQ(made.work_of("dev"), out("dev/.shardmill"));
  EXPECT_EQ(made.wished(), "dev=2,test=1 by key");
  EXPECT_THAT(made.fingerprint(), HasSubstr("dev=2,test=1 by key"));
  EXPECT_EQ(made.train.shards, 4U);
}

TEST_F(SplitPlanTest, APublisherHasItsOwnNames) {
  wish_ = {.by = deal::SplitBy::subset, .amounts = {}};
  const SplitPlan made = plan();
  EXPECT_THAT(made.names, ElementsAre("train", "dev", "test"));
  EXPECT_THAT(made.recipe().intake.tree.subsets, ElementsAre("all"));
}

TEST_F(SplitPlanTest, TrainGetsFewerShardsWhereOthersTakeAShare) {
  options_.recipe.sizing = {.by = deal::ShardSizing::By::samples, .amount = 5};
  wish_.amounts = {{"dev", 4s}};
  EXPECT_LT(plan().train.shards, 12U);
  EXPECT_GE(plan().train.shards, 4U);
}

TEST_F(SplitPlanTest, ADatasetThatIsNoSourceIsNamed) {
  wish_.datasets = {{"dev", "sett"}};
  try {
    plan();
    ADD_FAILURE();
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("names the dataset 'sett'"));
  }
}

TEST_F(SplitPlanTest, EachDatasetIsListedBelowTheRoot) {
  options_.recipe.list_root = "/data";
  EXPECT_EQ(plan().recipe().list_root, "/data/train");
}

TEST(SizingWords, SayHowManyShardsWereAskedFor) {
  EXPECT_EQ(text_of({.by = deal::ShardSizing::By::samples, .amount = 1000, .multiple_of = 8}),
            "samples=1000, a multiple of 8");
}

}  // namespace
}  // namespace shardmill::repack
