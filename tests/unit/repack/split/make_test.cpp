#include "repack/split/make.hpp"

#include <gmock/gmock.h>

#include <chrono>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "base/io/folder.hpp"
#include "pipeline/journal.hpp"
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

class SplitMakeTest : public RunCase {
 protected:
  SplitMakeTest() { options_.needs_speakers = true; }

  MadeSplits make() {
    asked_.emplace(SplitOptions{.whole = options_, .wish = wish_});
    plan_.emplace(make_split_plan(*asked_, reporter_));
    for (const std::string& name : plan_->names) base::make_folders(plan_->work_of(name));
    base::make_folders(plan_->work_of("train") + "/spool");
    return make_splits(*plan_, workers_, reporter_);
  }

  deal::SplitWish wish_{.by = deal::SplitBy::speaker, .amounts = {{"dev", 2s}, {"test", 1s}}};
  std::optional<SplitOptions> asked_;
  std::optional<SplitPlan> plan_;
};

TEST_F(SplitMakeTest, TrainComesFirstAndAllSamplesAreInOne) {
  const MadeSplits made = make();
  EXPECT_FALSE(made.resumed);
  ASSERT_EQ(made.splits.size(), 3U);
  EXPECT_EQ(made.splits.front().name, "train");
  std::uint64_t samples = 0;
  for (const MadeSplit& split : made.splits) {
    ASSERT_EQ(split.finished.size(), split.shards);
    std::uint64_t in_shards = 0;
    for (const FinishedShard& shard : split.finished) {
      in_shards += shard.tally.samples();
      EXPECT_EQ(base::File::open_read(shard.tar).size(), shard.record.bytes);
    }
    EXPECT_EQ(split.counts.taken, in_shards) << split.name;
    samples += in_shards;
  }
  EXPECT_EQ(samples, 60U);
}

TEST_F(SplitMakeTest, OtherSplitsGetShardsOfAboutTheSizeOfThoseOfTrain) {
  const MadeSplits made = make();
  EXPECT_EQ(made.splits.front().shards, 4U);
  for (const MadeSplit& split : made.splits) {
    if (split.name != "train") {
      EXPECT_LT(split.shards, 4U);
    }
    EXPECT_GE(split.shards, 1U);
  }
}

TEST_F(SplitMakeTest, AnotherCallGoesOnWithTheWork) {
  const MadeSplits first = make();
  const MadeSplits again = make_splits(*plan_, workers_, reporter_);
  EXPECT_TRUE(again.resumed);
  auto one = first.splits.begin();
  for (const MadeSplit& split : again.splits) {
    ASSERT_EQ(split.finished.size(), one->finished.size());
    for (std::size_t i = 0; i < split.finished.size(); ++i)
      EXPECT_EQ(split.finished[i].record.sha256, one->finished[i].record.sha256);
    ++one;
  }
}

TEST_F(SplitMakeTest, SamplesWithoutASpeakerAreAnErrorThatNamesAnotherWay) {
  options_.recipe.intake.speakers.patterns.clear();
  try {
    make();
    ADD_FAILURE() << "nobody knows the speakers";
  } catch (const deal::SplitError& error) {
    EXPECT_EQ(error.remedy(), Remedy::split_by_key);
  }
}

}  // namespace
}  // namespace shardmill::repack
