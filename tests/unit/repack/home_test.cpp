#include "repack/home.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "dataset/publish.hpp"
#include "pipeline/journal.hpp"
#include "support/made_dataset.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::repack {
namespace {

using ::testing::HasSubstr;
using testing::MadeDataset;

class HomeTest : public ::testing::Test {
 protected:
  MadeDataset made_;
  RunOptions options_;
  testing::SilentReporter reporter_;
};

TEST_F(HomeTest, AnUnfinishedRunIsLookedIntoUnderTheLock) {
  DatasetHome home(made_.folder());
  EXPECT_TRUE(home.is_untouched());
  EXPECT_TRUE(home.is_finished());
  std::filesystem::create_directory(home.work());
  EXPECT_FALSE(home.is_untouched());
  home.lock(options_, reporter_);
  EXPECT_TRUE(home.is_untouched()) << "whoever holds the lock may only read";
  EXPECT_NO_THROW(home.check_held());
}

TEST_F(HomeTest, OnlyOneRunAtATime) {
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

TEST_F(HomeTest, TheListOfWhatIsPublishedGoesLastAndTheLockStays) {
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

TEST_F(HomeTest, WhatWasPromisedIsCompletedByTheNextRun) {
  const testing::TemporaryFolder folder;
  folder.write(".shardmill/ready/dataset.json", "new");
  pipeline::write_journal(folder.file(".shardmill/journal"), {.fingerprint = "a test", .body = {}});
  folder.write(".shardmill/ready/data.list", "list");
  const dataset::Renames renames{{".shardmill/ready/data.list", "data.list"},
                                 {".shardmill/ready/dataset.json", "dataset.json"}};
  DatasetHome home(folder.path().string());
  home.complete();
  EXPECT_FALSE(home.is_promised());
  EXPECT_FALSE(home.is_finished());
  dataset::prepare_publishing(home.folder(), renames);
  EXPECT_TRUE(home.is_promised());
  home.complete();
  EXPECT_FALSE(home.is_promised());
  EXPECT_TRUE(home.is_finished());
  EXPECT_EQ(base::read_text(home.folder() + "/data.list"), "list");
  EXPECT_FALSE(std::filesystem::exists(home.work() + "/ready"));
}

}  // namespace
}  // namespace shardmill::repack
