#include "repack/shard_count_check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "archive/tar_building.hpp"
#include "base/error.hpp"
#include "support/made_dataset.hpp"

namespace shardmill::repack {
namespace {

using ::testing::HasSubstr;

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
