#include "repack/split.hpp"

#include <gmock/gmock.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <string>

#include "base/error.hpp"
#include "repack/home.hpp"
#include "repack/run_case.hpp"
#include "support/command_output.hpp"

namespace shardmill::repack {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using Outcome = RepackSummary::Outcome;

class SplitTest : public RunCase {
 protected:
  SplitSummary run() { return run_split({.whole = options_, .wish = wish_}, workers_, reporter_); }
  std::string problem() {
    try {
      run();
    } catch (const Error& error) {
      return error.what();
    }
    return "none";
  }

  deal::SplitWish wish_{.by = deal::SplitBy::speaker, .amounts = {{"dev", 2s}, {"test", 1s}}};
};

TEST_F(SplitTest, EverySampleIsInOneDatasetAndNoSpeakerInTwo) {
  const SplitSummary summary = run();
  EXPECT_EQ(summary.outcome, Outcome::written);
  ASSERT_EQ(summary.splits.size(), 3U);
  EXPECT_EQ(summary.splits.front().first, "train");
  std::size_t samples = 0;
  std::map<std::string, std::string> split_of;
  for (const auto& [name, of_split] : summary.splits) {
    const auto keys = keys_in(out(name));
    EXPECT_EQ(keys.size(), of_split.dataset.samples);
    samples += keys.size();
    for (const std::string& speaker : speakers_of(keys))
      EXPECT_TRUE(split_of.emplace(speaker, name).second) << speaker;
    testing::command_output("cd " + out(name) + " && sha256sum -c --quiet --strict SHA256SUMS");
    EXPECT_FALSE(std::filesystem::exists(work_folder_of(out(name))));
  }
  EXPECT_EQ(samples, 60U);
  EXPECT_FALSE(std::filesystem::exists(work_folder_of(options_.out_folder)));
}

TEST_F(SplitTest, TheRecordSaysWhatWasMade) {
  const SplitSummary summary = run();
  const manifest::SplitRecord record = manifest::read_split_record(out("split.json"));
  EXPECT_EQ(record.by, "speaker");
  EXPECT_EQ(record.wanted, "dev=2,test=1");
  ASSERT_EQ(record.parts.size(), 3U);
  EXPECT_EQ(record.parts[0].name, "train");
  EXPECT_FALSE(record.parts[0].groups.has_value());
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_EQ(record.parts[i].samples, summary.splits[i].second.dataset.samples);
  EXPECT_EQ(record.parts[1].groups, speakers_of(keys_in(out("dev"))).size());
}

TEST_F(SplitTest, TheSameSplitIsFound) {
  run();
  const std::string record = text("split.json");
  const SplitSummary again = run();
  EXPECT_EQ(again.outcome, Outcome::already_there);
  EXPECT_EQ(again.splits.size(), 3U);
  EXPECT_EQ(text("split.json"), record);
}

TEST_F(SplitTest, AnotherSplitIsRefusedAndReplacesItOnlyByForce) {
  run();
  wish_.amounts = {{"dev", 3s}};
  EXPECT_THAT(problem(), HasSubstr("test: is a dataset that this command would not make"));
  wish_.amounts = {{"dev", 3s}, {"test", 1s}};
  EXPECT_THAT(problem(), HasSubstr("holds a finished split that differs: split: was dev=2,test=1, now"));
  options_.force = true;
  EXPECT_EQ(run().outcome, Outcome::written);
  EXPECT_EQ(manifest::read_split_record(out("split.json")).wanted, "dev=3,test=1");
}

TEST_F(SplitTest, ADryRunWritesNothing) {
  options_.dry_run = true;
  const SplitSummary summary = run();
  EXPECT_EQ(summary.outcome, Outcome::planned);
  EXPECT_FALSE(std::filesystem::exists(options_.out_folder));
}

TEST_F(SplitTest, WhatCannotBeSplitLeavesNoWork) {
  wish_.amounts = {{"dev", 5s}};  // of about 8 s, by ten speakers of whom none may be alone
  options_.recipe.intake.speakers.patterns.clear();
  EXPECT_NE(problem(), "none");
  EXPECT_FALSE(std::filesystem::exists(work_folder_of(options_.out_folder)));
  EXPECT_FALSE(std::filesystem::exists(out("split.json")));
}

TEST_F(SplitTest, TheShardsOfEachHoldEquallyMuch) {
  options_.recipe.sizing = {.by = deal::ShardSizing::By::samples, .amount = 5};
  for (const auto& [name, of_split] : run().splits) {
    const auto& balance = of_split.dataset.balance;
    EXPECT_LE(balance.max_samples - balance.min_samples, 1U) << name;
    EXPECT_GE(of_split.dataset.shards, of_split.dataset.samples / 5) << name;
  }
}

TEST(SplitWords, SayWhatIsWished) {
  const deal::SplitWish wish{
      .by = deal::SplitBy::key, .amounts = {{"dev", 90s}, {"test", 500ms}}, .datasets = {{"dev", "read"}}};
  EXPECT_EQ(text_of(wish), "dev=read:90,test=0.5");
  EXPECT_EQ(text_of(deal::SplitWish{.by = deal::SplitBy::subset, .amounts = {}}), "subset");
  EXPECT_EQ(name(deal::SplitBy::speaker), "speaker");
}

}  // namespace
}  // namespace shardmill::repack
