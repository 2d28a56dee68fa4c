#include "repack/split_home.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "pipeline/journal.hpp"
#include "support/silent_reporter.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::repack {
namespace {

using ::testing::HasSubstr;

class SplitHomeTest : public ::testing::Test {
 protected:
  /// What a run leaves in the work folder of a dataset, ready to get its names.
  NewFiles prepared(const std::string& split) const {
    folder_.write(split + "/.shardmill/ready/dataset.json", "new " + split);
    pipeline::write_journal(folder_.file(split + "/.shardmill/journal"),
                            {.fingerprint = "a test", .body = {}});
    return {.split = split, .renames = {{".shardmill/ready/dataset.json", "dataset.json"}}};
  }
  static manifest::SplitRecord record() {
    manifest::SplitRecord record{
        .by = "key", .wanted = "dev=5", .sizing = "shards=1", .options = {}, .inputs_xxh3 = {}, .parts = {}};
    record.parts = {{.name = "train", .shards = 1}, {.name = "dev", .shards = 1, .groups = 1}};
    return record;
  }
  std::string text(const std::string& inner) const { return base::read_text(folder_.file(inner)); }
  bool exists(const std::string& inner) const { return std::filesystem::exists(folder_.file(inner)); }
  std::string problem(const std::vector<std::string>& names) const {
    try {
      check_split_folder(out_, names);
    } catch (const Error& error) {
      return error.what();
    }
    return "none";
  }

  testing::TemporaryFolder folder_;
  testing::SilentReporter reporter_;
  RunOptions options_;
  std::string out_ = folder_.path().string();
};

TEST_F(SplitHomeTest, AllDatasetsGetTheirNamesTogether) {
  SplitHome home(out_, {"train", "dev"});
  home.lock(options_, reporter_);
  home.begin("dev=5 by key");
  EXPECT_EQ(home.begun(), "dev=5 by key");
  EXPECT_FALSE(home.is_finished());
  home.set_record(record());
  home.publish({prepared("train"), prepared("dev")});
  EXPECT_TRUE(home.is_finished());
  EXPECT_FALSE(home.is_promised());
  EXPECT_EQ(home.begun(), std::nullopt);
  EXPECT_EQ(text("train/dataset.json"), "new train");
  EXPECT_EQ(text("dev/dataset.json"), "new dev");
  EXPECT_EQ(manifest::read_split_record(split_record_path(out_)).wanted, "dev=5");
  EXPECT_TRUE(is_split(out_));
}

TEST_F(SplitHomeTest, NobodyElseWorksInADatasetMeanwhile) {
  SplitHome home(out_, {"train", "dev"});
  home.lock(options_, reporter_);
  DatasetHome dev(home.folder_of("dev"));
  EXPECT_THROW(dev.lock(options_, reporter_), Error);
  SplitHome other(out_, {"train"});
  EXPECT_THROW(other.lock(options_, reporter_), Error);
}

TEST_F(SplitHomeTest, WhatIsPreparedAndNotPromisedIsNoDataset) {
  SplitHome home(out_, {"train", "dev"});
  home.begin("x");
  dataset::prepare_publishing(home.folder_of("train"), prepared("train").renames);
  home.complete();
  EXPECT_FALSE(exists("train/dataset.json"));
  DatasetHome(home.folder_of("train")).complete();
  EXPECT_FALSE(exists("train/dataset.json")) << "not for who works on one of the datasets, either";
  home.remove_work();
  EXPECT_FALSE(exists("train/.shardmill/ready"));
  EXPECT_EQ(home.begun(), std::nullopt);
}

TEST_F(SplitHomeTest, WhatWasPromisedIsCompletedByWhoComesNext) {
  {
    SplitHome home(out_, {"train", "dev"});
    home.begin("x");
    for (const char* name : {"train", "dev"})
      dataset::prepare_publishing(home.folder_of(name), prepared(name).renames);
    folder_.write(".shardmill/split.json", to_json(record()));  // and then the machine stopped
    EXPECT_TRUE(home.is_promised());
  }
  EXPECT_TRUE(is_split(out_));
  const auto lock = lock_split(out_, options_, reporter_);
  EXPECT_TRUE(lock.has_value());
  EXPECT_EQ(text("dev/dataset.json"), "new dev");
  EXPECT_TRUE(exists("split.json"));
  EXPECT_FALSE(exists(".shardmill/split.json"));
}

TEST_F(SplitHomeTest, ADatasetByItselfHasNoSplitToLock) {
  EXPECT_FALSE(lock_split("", options_, reporter_).has_value());
}

TEST_F(SplitHomeTest, FilesOfOthersAreNotTouched) {
  EXPECT_EQ(problem({"train", "dev"}), "none");
  const std::string notes = folder_.write("notes.txt", "mine");
  EXPECT_THAT(problem({"train", "dev"}), HasSubstr("notes.txt: is not shardmill's"));
  std::filesystem::remove(notes);
  folder_.write("train/.shardmill/journal", "x");
  folder_.write(".shardmill/split", "x");
  EXPECT_EQ(problem({"train", "dev"}), "none");
  folder_.write(".shardmill/more", "x");
  EXPECT_THAT(problem({"train", "dev"}), HasSubstr(".shardmill/more: is not shardmill's"));
}

TEST_F(SplitHomeTest, ADatasetIsNoPlaceForASplit) {
  folder_.write("dataset.json", "{}");
  EXPECT_THAT(problem({"train"}), HasSubstr("holds a dataset"));
}

}  // namespace
}  // namespace shardmill::repack
