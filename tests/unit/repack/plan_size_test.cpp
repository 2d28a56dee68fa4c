#include "repack/plan_size.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "archive/tar_building.hpp"
#include "base/error.hpp"
#include "support/made_dataset.hpp"

namespace shardmill::repack {
namespace {

using ::testing::HasSubstr;

RepackPlan plan_of(std::uint64_t samples, std::uint64_t bytes, std::uint32_t shards) {
  RepackPlan plan;
  plan.estimate.samples = samples;
  plan.estimate.bytes = bytes;
  plan.shards = shards;
  return plan;
}

TEST(PlannedBytes, TarsAndTheirRecords) {
  // Samples that are held back are written twice: 16 of each shard.
  EXPECT_EQ(planned_bytes(plan_of(1'000'000, 1'000'000'000, 10), 4),
            1'000'000'000u + 1'000'000'000u + 160'000u);
  EXPECT_EQ(planned_bytes(plan_of(0, 0, 1), 4), 0u);
  // Where all are held back, all are written twice, and no more.
  EXPECT_EQ(planned_bytes(plan_of(10, 1000, 10), 4), 2000u + 10'000u);
}

TEST(PlannedBytes, ShardsThatAreCompressedAtATimeAndParity) {
  RepackPlan plan = plan_of(1'000'000, 1'000'000'000, 10);
  const std::uint64_t plain = planned_bytes(plan, 4);
  plan.recipe.codec = codec::Codec::zstd;
  EXPECT_EQ(planned_bytes(plan, 4), plain + 400'000'000);
  EXPECT_EQ(planned_bytes(plan, 100), plain + 1'000'000'000);
  plan.recipe.codec = codec::Codec::none;
  plan.recipe.parity = 1;
  EXPECT_EQ(planned_bytes(plan, 4), plain + 200'000'000);
}

TEST(PlannedBytes, OnlyWhatIsTaken) {
  RepackPlan plan = plan_of(1'000'000, 1'000'000'000, 1);
  plan.recipe.intake.limit = 1000;
  EXPECT_NEAR(static_cast<double>(planned_bytes(plan, 1)), 2'016'000, 1);
  plan.recipe.intake.limit = 2'000'000;
  EXPECT_EQ(planned_bytes(plan, 1), planned_bytes(plan_of(1'000'000, 1'000'000'000, 1), 1));
}

class ShardCountCheckTest : public ::testing::Test {
 protected:
  /// A plan of so many shards for two small samples.
  RepackPlan plan(std::uint32_t shards) {
    RepackOptions options;
    options.sources = {folder_.write("in.tar", archive::make_tar({{"a.txt", "x"},
                                                                  {"a.wav", testing::made_wav(900, 1)},
                                                                  {"b.wav", testing::made_wav(900, 2)}}))};
    options.out_folder = folder_.file("out");
    options.recipe.sizing = {.by = deal::ShardSizing::By::shards, .amount = 1};
    RepackPlan made = make_plan(options, reporter_);
    made.shards = shards;
    return made;
  }
  std::string problem(const RepackPlan& plan) {
    try {
      check_shard_count(plan, reporter_);
    } catch (const Error& error) {
      return error.what();
    }
    return "no problem";
  }

  testing::TemporaryFolder folder_;
  testing::SilentReporter reporter_;
};

TEST_F(ShardCountCheckTest, AFewShardsAreFoundOutAtTheEnd) {
  EXPECT_EQ(problem(plan(1)), "no problem");
  EXPECT_EQ(problem(plan(1000)), "no problem");
}

TEST_F(ShardCountCheckTest, ManyShardsNeedManySamples) {
  EXPECT_THAT(problem(plan(1001)),
              HasSubstr("1,001 shards were asked for, but the sources hold only about "));
  EXPECT_THAT(problem(plan(1001)), HasSubstr("ask for fewer shards"));
}

TEST_F(ShardCountCheckTest, AnEstimateThatWasMadeIsTaken) {
  RepackPlan many = plan(2000);
  many.estimate.samples = 500;
  EXPECT_EQ(problem(many), "no problem");  // An estimate may be wrong by four.
  many.estimate.samples = 499;
  EXPECT_THAT(problem(many),
              HasSubstr("2,000 shards were asked for, but the sources hold only about 499 samples"));
}

TEST_F(ShardCountCheckTest, ALimitIsKnownExactly) {
  RepackPlan few = plan(3);
  few.recipe.intake.limit = 3;
  EXPECT_EQ(problem(few), "no problem");
  few.recipe.intake.limit = 2;
  EXPECT_THAT(problem(few), HasSubstr("3 shards were asked for, but no more than 2 samples will be taken"));
}

}  // namespace
}  // namespace shardmill::repack
