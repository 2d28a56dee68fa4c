#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/output/reports.hpp"

namespace shardmill::cli {
namespace {

using deal::Batching;
using ::testing::HasSubstr;
using ::testing::Not;

ranks::StepsOfEpochs epochs_of(std::vector<std::vector<std::uint64_t>> steps) {
  ranks::StepsOfEpochs counted;
  for (auto& of_ranks : steps)
    counted.epochs.push_back({.steps = std::move(of_ranks), .padding = 0.25, .idle = 0.125});
  return counted;
}

struct StepsCase {
  ranks::WorldReport world{
      .team = {.world_size = 2, .workers = 3}, .loaders = {}, .plan_split = {}, .plan = {}};
  ranks::RanksSummary summary;
  ranks::RanksOptions options;

  StepsCase() { summary.batching = Batching{.by = Batching::By::samples, .most = 16}; }
  ranks::StepsReport& add(deal::Loader loader, ranks::StepsOfEpochs counted) {
    world.loaders.push_back({.loader = loader, .load = {}, .steps = ranks::StepsReport{.counted = counted}});
    return *world.loaders.back().steps;
  }
  std::string text() const { return steps_text(world, summary, options); }
};

TEST(StepsText, IsSilentWhereNobodyAskedForBatches) {
  StepsCase given;
  given.add(deal::Loader::wenet, epochs_of({{3, 3}}));
  given.summary.batching.reset();
  EXPECT_EQ(given.text(), "");
}

TEST(StepsText, EqualStepsNeedNoAdvice) {
  StepsCase given;
  given.add(deal::Loader::wenet, epochs_of({{1200, 1200}}));
  const std::string text = given.text();
  EXPECT_THAT(text, HasSubstr("steps in batches of 16 samples, without any shuffle\n"));
  EXPECT_THAT(text, ::testing::ContainsRegex("wenet +1,200 +no +25.0% +12.5%\n"));
  EXPECT_THAT(text, Not(HasSubstr("end each epoch")));
}

TEST(StepsText, ALoaderThatMakesNoSuchBatchesHasNoRow) {
  StepsCase given;
  given.world.loaders.push_back({.loader = deal::Loader::lhotse, .load = {}});
  given.add(deal::Loader::wenet, epochs_of({{3, 3}}));
  EXPECT_THAT(given.text(), Not(HasSubstr("lhotse")));
}

TEST(StepsText, WorkersThatDoNotStayRepeatLhotsesFirstOrder) {
  StepsCase given;
  given.options.epochs = 2;
  given.add(deal::Loader::lhotse, epochs_of({{3, 3}, {4, 4}}));
  EXPECT_THAT(given.text(), HasSubstr("then 3 steps on each rank in every epoch."));
  given.options.epochs = 0;
  EXPECT_THAT(given.text(), Not(HasSubstr("persistent_workers")));
}

TEST(StepsText, RanksThatDifferAreToldWhenToStopTogether) {
  StepsCase given;
  given.add(deal::Loader::webdataset, epochs_of({{8, 12}}));
  const std::string text = given.text();
  EXPECT_THAT(text, ::testing::ContainsRegex("webdataset +8 to 12 +by 4 "));
  // Four batches of twenty.
  EXPECT_THAT(text, HasSubstr("webdataset: end each epoch after 8 steps on all\n    ranks"));
  EXPECT_THAT(text, HasSubstr("leaves out 20.0% of the batches"));
  EXPECT_THAT(text, Not(HasSubstr("join")));
}

TEST(StepsText, WenetMayJoin) {
  StepsCase given;
  given.add(deal::Loader::wenet_old, epochs_of({{8, 9}}));
  EXPECT_THAT(given.text(), HasSubstr("train inside join, as WeNet does with DDP, or end each epoch"));
}

TEST(StepsText, OverEpochsTheWorstOneIsSaidAndHowManyDiffer) {
  StepsCase given;
  given.options.epochs = 3;
  given.options.seed = 40;
  given.add(deal::Loader::wenet, epochs_of({{10, 10}, {9, 12}, {10, 11}}));
  const std::string text = given.text();
  EXPECT_THAT(text, HasSubstr("over 3 epochs with seeds from 40 on (an estimate)"));
  EXPECT_THAT(text, HasSubstr("by up to 3, in 2 of 3 epochs"));
  EXPECT_THAT(text, HasSubstr("9 to 12"));
}

TEST(StepsText, ShardsThatDoNotDivideAreToBeMadeAnew) {
  StepsCase given;
  given.add(deal::Loader::wenet, epochs_of({{8, 9}}));
  given.summary.shards.loads.resize(8);
  EXPECT_THAT(given.text(), HasSubstr("--multiple-of 6 divide among all workers"));
  given.summary.shards.loads.resize(12);
  EXPECT_THAT(given.text(), Not(HasSubstr("--multiple-of")));
}

TEST(StepsText, WhatWouldBeBetterIsSaidWithItsFigures) {
  StepsCase given;
  ranks::StepsReport& steps = given.add(deal::Loader::wenet, epochs_of({{8, 9}}));
  steps.if_even = 7;
  steps.static_batches = {.samples = 24, .counted = epochs_of({{6, 6}})};
  const std::string text = given.text();
  EXPECT_THAT(text, HasSubstr("--even leave-out take 7 steps on all ranks"));
  EXPECT_THAT(
      text,
      HasSubstr("batches of 24 samples take 6 steps on each rank, with 25.0% padding and 12.5% waiting"));
}

TEST(BatchesText, SaysHowBatchesAreMade) {
  EXPECT_EQ(batches_text({.by = Batching::By::samples, .most = 1}), "batches of 1 sample");
  EXPECT_EQ(batches_text({.by = Batching::By::frames, .most = 12'000}), "batches of up to 12,000 frames");
  EXPECT_EQ(batches_text({.by = Batching::By::buckets, .bins = {1}, .sizes = {4, 2}}),
            "batches from 2 buckets");
  EXPECT_EQ(batches_text({.by = Batching::By::duration, .most = 90, .bins = {3, 8}}),
            "batches of up to 1.5 min from 3 buckets");
}

}  // namespace
}  // namespace shardmill::cli
