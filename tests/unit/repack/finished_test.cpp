#include "repack/finished.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "manifest/record_lines.hpp"
#include "manifest/reject.hpp"
#include "support/made_dataset.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::repack {
namespace {

using manifest::RejectReason;
using shardmill::testing::MadeDataset;
using ::testing::HasSubstr;

struct Line {
  RejectReason reason;
  std::string source = "a.tar";
  std::optional<std::uint64_t> samples{};
  bool samples_unknown = false;
};

Losses losses(const std::vector<Line>& lines) {
  const shardmill::testing::TemporaryFolder folder;
  std::string text;
  for (const Line& line : lines) {
    text += manifest::line_of(manifest::Reject{.dataset = "d",
                                               .source = line.source,
                                               .key = {},
                                               .member = {},
                                               .file_bytes = {},
                                               .tar_bytes = {},
                                               .reason = line.reason,
                                               .problem = "p",
                                               .samples = line.samples,
                                               .samples_unknown = line.samples_unknown});
  }
  return losses_in(folder.write("rejects.jsonl", text));
}

TEST(LossesTest, NothingLeftOutNothingLost) {
  EXPECT_EQ(losses({}).samples, 0u);
  EXPECT_EQ(losses({}).unknown_files, 0u);
  EXPECT_TRUE(is_within(losses({}), 0));
}

TEST(LossesTest, WhatTheUserLeftOutIsNoLoss) {
  const Losses chosen = losses({{RejectReason::too_short},
                                {RejectReason::too_long},
                                {RejectReason::excluded},
                                {RejectReason::not_included}});
  EXPECT_EQ(chosen.samples, 0u);
  EXPECT_TRUE(is_within(chosen, 0));
}

TEST(LossesTest, ALineIsASampleUnlessItSaysMore) {
  const Losses some = losses({{RejectReason::bad_audio}, {RejectReason::damaged_source, "b.tar", 60}});
  EXPECT_EQ(some.samples, 61u);
  EXPECT_FALSE(is_within(some, 60));
  EXPECT_TRUE(is_within(some, 61));
}

TEST(LossesTest, FilesOfWhichNobodyKnowsCountOnceAndAreNeverWithin) {
  const Losses some = losses({{RejectReason::damaged_source, "a.tar", {}, true},
                              {RejectReason::truncated_source, "a.tar", {}, true},
                              {RejectReason::unreadable_source, "b.tar", {}, true},
                              {RejectReason::bad_audio}});
  EXPECT_EQ(some.unknown_files, 2u);
  EXPECT_EQ(some.samples, 1u);
  EXPECT_FALSE(is_within(some, 1'000'000));
  EXPECT_TRUE(is_within(some, kAnyNumber));
}

TEST(LossesTest, DamageThatHitNoSampleIsNotNothing) {
  const Losses some = losses({{RejectReason::damaged_source, "a.tar", 0}});
  EXPECT_EQ(some.samples, 1u);
  EXPECT_FALSE(is_within(some, 0));
}

TEST(LossesTest, AnUpdateTellsItsOwn) {
  const shardmill::testing::TemporaryFolder folder;
  manifest::DatasetRecord dataset;
  EXPECT_THROW(losses_of_last_run(dataset, folder.file("none")), Error);
  dataset.updates.push_back({.id = {}, .sources = {}});
  dataset.updates.back().lost = 2;
  dataset.updates.back().lost_files = 1;
  EXPECT_EQ(losses_of_last_run(dataset, folder.file("none")).samples, 2u);
  EXPECT_EQ(losses_of_last_run(dataset, folder.file("none")).unknown_files, 1u);
}

TEST(LossesTest, AFileThatCannotBeReadIsAnError) {
  const shardmill::testing::TemporaryFolder folder;
  EXPECT_THROW(losses_in(folder.file("none")), Error);
  EXPECT_THROW(losses_in(folder.write("cut", R"({"dataset":"d","source")")), Error);
}

class AlreadyThere : public ::testing::Test {
 protected:
  AlreadyThere() {
    options_.sources = {"set=" + made_.source()};
    options_.out_folder = made_.folder();
    options_.recipe.sizing = {.by = deal::ShardSizing::By::shards, .amount = 2};
  }
  std::string difference() {
    try {
      return already_there(options_, make_plan(options_, reporter_)) ? "the same" : "not there";
    } catch (const Error& error) {
      return error.what();
    }
  }

  MadeDataset made_;
  RepackOptions options_;
  testing::SilentReporter reporter_;
};

TEST_F(AlreadyThere, TheSameRunFindsItsDataset) {
  EXPECT_EQ(difference(), "the same");
  const auto found = already_there(options_, make_plan(options_, reporter_));
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->outcome, RepackSummary::Outcome::already_there);
  EXPECT_EQ(found->dataset.samples, MadeDataset::kSamples);
  options_.force = true;
  EXPECT_EQ(difference(), "not there");
  options_.force = false;
  options_.out_folder += "-2";
  EXPECT_EQ(difference(), "not there");
}

TEST_F(AlreadyThere, WhatDiffersIsSaid) {
  options_.recipe.seed = 7;
  EXPECT_THAT(difference(), HasSubstr("holds a finished dataset that differs: "));
  EXPECT_THAT(difference(), HasSubstr("seed"));
  options_.recipe.seed = 0;
  std::filesystem::last_write_time(made_.source(), std::filesystem::file_time_type::clock::now());
  EXPECT_THAT(difference(), HasSubstr("source.tar was written since"));
  std::ofstream(made_.source(), std::ios::app | std::ios::binary) << std::string(10240, '\0');
  EXPECT_THAT(difference(), HasSubstr("holds a finished dataset that differs: the source files are others"));
}

}  // namespace
}  // namespace shardmill::repack
