#include "repack/plan.hpp"

#include <gtest/gtest.h>

#include <string>

#include "archive/tar_building.hpp"
#include "support/silent_reporter.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::repack {
namespace {

class RepackPlanning : public ::testing::Test {
 protected:
  RepackPlan plan(deal::ShardSizing sizing, bool dry_run = false) {
    RepackOptions options;
    options.sources = {folder_.write("in.tar", archive::make_tar({{"a.txt", "words"}, {"a.wav", wav_}}))};
    options.out_folder = (folder_.path() / "out").string();
    options.recipe.sizing = sizing;
    options.dry_run = dry_run;
    return make_plan(options, reporter_);
  }

 private:
  testing::TemporaryFolder folder_;
  testing::SilentReporter reporter_;
  // 8 values of 16 bits at 16 kHz.
  std::string wav_ =
      std::string("RIFF\x34\0\0\0WAVEfmt \x10\0\0\0\1\0\1\0\x80\x3e\0\0\0\x7d\0\0\2\0\x10\0", 36) +
      std::string("data\x10\0\0\0", 8) + std::string(16, 'x');
};

TEST_F(RepackPlanning, LooksAtTheSourcesOnlyWhereTheEstimateIsNeeded) {
  using By = deal::ShardSizing::By;
  // Far more than this tar needs is free wherever tests run.
  EXPECT_EQ(plan({.by = By::shards, .amount = 1}).estimate.samples, 0U);
  EXPECT_GT(plan({.by = By::shards, .amount = 1}, true).estimate.samples, 0U);
  EXPECT_GT(plan({.by = By::samples, .amount = 1}).estimate.samples, 0U);
}

}  // namespace
}  // namespace shardmill::repack
