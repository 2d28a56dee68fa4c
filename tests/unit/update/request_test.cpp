#include "update/request.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/error.hpp"
#include "support/made_dataset.hpp"

namespace shardmill::update {
namespace {

using ::testing::HasSubstr;
using testing::MadeDataset;
using testing::TemporaryFolder;

template <typename Check>
std::string problem_of(Check check) {
  try {
    check();
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

TEST(UpdateFolder, ADatasetIsTakenAndOtherFoldersAreNot) {
  const MadeDataset made;
  EXPECT_EQ(problem_of([&] { check_folder(made.folder()); }), "none");
  const TemporaryFolder folder;
  EXPECT_THAT(problem_of([&] { check_folder(folder.path().string()); }),
              HasSubstr("is not a dataset of shardmill"));
  EXPECT_THAT(problem_of([&] { check_folder(folder.file("missing")); }),
              HasSubstr("is not a dataset of shardmill"));
}

TEST(UpdateFolder, AnUnfinishedRunOfAnotherCommandIsNotDisturbed) {
  const TemporaryFolder folder;
  const std::string path = folder.path().string();
  EXPECT_EQ(problem_of([&] { check_no_other_run(path, false); }), "none");
  for (const char* ours : {".shardmill/lock", ".shardmill/update/stage/x", ".shardmill/staged_indexes/x"})
    folder.write(ours, "");
  EXPECT_EQ(problem_of([&] { check_no_other_run(path, false); }), "none");
  folder.write(".shardmill/journal", "");
  EXPECT_THAT(problem_of([&] { check_no_other_run(path, false); }), HasSubstr("not finished"));
}

TEST(UpdateFolder, WhatIsWorthNothingIsRemovedAndTheRestIsKept) {
  const TemporaryFolder folder;
  const std::string path = folder.path().string();
  folder.write(".shardmill/update/stage/spool", "");
  const auto lock = base::WriterLock::acquire(path + "/.shardmill/lock", "a test");
  const std::string journal = folder.write(".shardmill/update/stage/journal", "");
  clean_up_failure(path, lock);
  EXPECT_TRUE(std::filesystem::exists(work_of(path))) << "a journal is gone on from";
  std::filesystem::remove(journal);
  clean_up_failure(path, lock);
  EXPECT_FALSE(std::filesystem::exists(work_of(path)));
}

}  // namespace
}  // namespace shardmill::update
