#include "update/update.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "base/error.hpp"
#include "base/hash/hash.hpp"
#include "repack/home.hpp"
#include "support/command_output.hpp"
#include "update/update_case.hpp"

namespace shardmill::update {
namespace {

using ::testing::HasSubstr;

class UpdateTest : public UpdateCase {
 protected:
  UpdateSummary run() {
    const UpdateSummaries summaries = run_update(options_, made_.workers(), made_.reporter());
    EXPECT_EQ(summaries.size(), 1U);
    return summaries.front().second;
  }
  std::string problem() {
    try {
      run();
    } catch (const Error& error) {
      return error.what();
    }
    return "none";
  }
  /// `sha256sum` is the judge of the files.
  void check_sums() const {
    EXPECT_THAT(testing::command_output("cd " + made_.folder() + " && sha256sum -c --strict SHA256SUMS"),
                HasSubstr("dataset.json: OK"));
  }
  bool is_work_left() const { return std::filesystem::exists(repack::work_folder_of(made_.folder())); }
};

TEST_F(UpdateTest, AddedSamplesAreInShardsAfterwards) {
  options_.sources = {more(5)};
  const UpdateSummary summary = run();
  EXPECT_EQ(summary.outcome, UpdateSummary::Outcome::written);
  EXPECT_EQ(summary.update.added, 5U);
  EXPECT_EQ(summary.waiting, 0U);
  EXPECT_EQ(all_keys().size(), 15U);
  EXPECT_TRUE(all_keys().contains("new4"));
  EXPECT_FALSE(is_work_left());
  check_sums();
}

TEST_F(UpdateTest, TheSameUpdateIsFoundDone) {
  options_.sources = {more()};
  run();
  const std::string record = made_.read("dataset.json");
  options_.max_rejects = 7;
  EXPECT_EQ(run().outcome, UpdateSummary::Outcome::already_done);
  EXPECT_EQ(made_.read("dataset.json"), record);
  EXPECT_THAT(made_.read("run.json"), HasSubstr("\"max_rejects\": 7")) << "the new limit counts";
  EXPECT_FALSE(is_work_left());
}

TEST_F(UpdateTest, ADryRunChangesNothing) {
  options_.sources = {more(5)};
  options_.dry_run = true;
  const std::string record = made_.read("dataset.json");
  const UpdateSummary summary = run();
  EXPECT_EQ(summary.outcome, UpdateSummary::Outcome::planned);
  EXPECT_NEAR(static_cast<double>(summary.update.added), 5, 2);
  EXPECT_EQ(made_.read("dataset.json"), record);
  EXPECT_FALSE(is_work_left());
}

TEST_F(UpdateTest, WhatFailsLeavesTheDatasetAndNoWork) {
  remove("key3\nno such key\n");
  const std::string record = made_.read("dataset.json");
  EXPECT_THAT(problem(), HasSubstr("no such key"));
  EXPECT_EQ(made_.read("dataset.json"), record);
  EXPECT_FALSE(is_work_left());
}

TEST_F(UpdateTest, SourcesWithNothingNewChangeNothing) {
  options_.sources = {"set=" + made_.source()};
  options_.on_duplicate = pipeline::OnDuplicate::first;
  const std::string record = made_.read("dataset.json");
  EXPECT_EQ(run().outcome, UpdateSummary::Outcome::nothing_new);
  EXPECT_EQ(made_.read("dataset.json"), record);
  EXPECT_FALSE(is_work_left());
}

TEST_F(UpdateTest, OnlyOneWorksInAFolder) {
  const auto lock = repack::lock_folder(repack::work_folder_of(made_.folder()), {}, made_.reporter());
  remove("key3\n");
  EXPECT_THAT(problem(), HasSubstr("another run is at work here"));
}

TEST_F(UpdateTest, AnInterruptedRepackIsDropped) {
  std::filesystem::create_directories(made_.path(".shardmill/spool"));
  made_.write(".shardmill/journal", "x");
  remove("key3\n");
  EXPECT_EQ(problem(), "none");
  EXPECT_THAT(made_.reporter().warnings, ::testing::ElementsAre(HasSubstr("was interrupted")));
  EXPECT_FALSE(all_keys().contains("key3"));
  check_sums();
}

TEST_F(UpdateTest, AFolderWithoutADatasetIsRefused) {
  options_.folder = scratch_.path().string();
  remove("key3\n");
  EXPECT_THAT(problem(), HasSubstr("is not a dataset of shardmill"));
}

}  // namespace
}  // namespace shardmill::update
