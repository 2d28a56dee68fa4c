#include "repack/folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "base/error.hpp"
#include "dataset/publish.hpp"
#include "support/made_dataset.hpp"

namespace shardmill::repack {
namespace {

using ::testing::HasSubstr;
using testing::MadeDataset;

class RepackFolderTest : public ::testing::Test {
 protected:
  RepackFolderTest() {
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

TEST_F(RepackFolderTest, TheSameRunFindsItsDataset) {
  EXPECT_EQ(difference(), "the same");
  const auto found = already_there_untouched(options_, make_plan(options_, reporter_));
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->outcome, RepackSummary::Outcome::already_there);
  EXPECT_EQ(found->dataset.samples, MadeDataset::kSamples);
  options_.force = true;
  EXPECT_EQ(difference(), "not there");
  options_.force = false;
  options_.out_folder += "-2";
  EXPECT_EQ(difference(), "not there");
}

TEST_F(RepackFolderTest, WhatDiffersIsSaid) {
  options_.recipe.seed = 7;
  EXPECT_THAT(difference(), HasSubstr("holds a finished dataset that differs: "));
  EXPECT_THAT(difference(), HasSubstr("seed"));
  options_.recipe.seed = 0;
  std::filesystem::last_write_time(made_.source(), std::filesystem::file_time_type::clock::now());
  EXPECT_THAT(difference(), HasSubstr("source.tar was written since"));
  std::ofstream(made_.source(), std::ios::app | std::ios::binary) << std::string(10240, '\0');
  EXPECT_THAT(difference(), HasSubstr("holds a finished dataset that differs: the source files are others"));
}

TEST_F(RepackFolderTest, AnUnfinishedRunIsLookedIntoUnderTheLock) {
  std::filesystem::create_directory(work_folder_of(made_.folder()));
  EXPECT_FALSE(already_there_untouched(options_, make_plan(options_, reporter_)).has_value());
  EXPECT_EQ(difference(), "the same");
}

TEST_F(RepackFolderTest, OnlyOneRunAtATime) {
  const std::string work = work_folder_of(made_.folder());
  const auto lock = lock_folder(work, options_, reporter_);
  try {
    lock_folder(work, options_, reporter_);
    ADD_FAILURE() << "somebody is at work there";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("another run is at work here"));
  }
  // Who waits can be stopped.
  options_.wait = true;
  reporter_.signal = 2;
  EXPECT_THROW(lock_folder(work, options_, reporter_), base::Interrupted);
}

TEST_F(RepackFolderTest, TheListOfWhatIsPublishedGoesLastAndTheLockStays) {
  const testing::TemporaryFolder folder;
  const std::string work = folder.file("work");
  folder.write("work/lock", "host x");
  folder.write("work/spools/0/a", "x");
  folder.write("work/journal", "x");
  const std::string list = dataset::publish_list_path(work);
  std::ofstream(list) << "x";
  remove_work(work);
  EXPECT_TRUE(std::filesystem::exists(work + "/lock"));
  EXPECT_FALSE(std::filesystem::exists(list));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(work), {}), 1);
  EXPECT_NO_THROW(remove_work(work));
  EXPECT_EQ(lock_path(work), work + "/lock");
}

}  // namespace
}  // namespace shardmill::repack
