#include "dataset/output_folder.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>

#include "base/error.hpp"
#include "dataset/owned_files.hpp"
#include "support/made_dataset.hpp"

namespace shardmill::dataset {
namespace {

namespace fs = std::filesystem;
using testing::MadeDataset;
using testing::TemporaryFolder;

bool is_taken(const std::string& folder, OutputKind kind) {
  try {
    check_output_is_ours(folder, kind);
    return true;
  } catch (const Error&) {
    return false;
  }
}

constexpr OutputKind kKinds[] = {OutputKind::dataset, OutputKind::converted, OutputKind::rank_lists};

TEST(OutputFolder, NewAndEmptyFoldersAreForAnybody) {
  const TemporaryFolder folder;
  for (const OutputKind kind : kKinds) {
    EXPECT_TRUE(is_taken(folder.path().string(), kind));
    EXPECT_TRUE(is_taken(folder.file("new/and/deep"), kind));
    EXPECT_FALSE(fs::exists(folder.file("new")));
  }
}

TEST(OutputFolder, WhatOthersMadeIsForNobody) {
  const std::function<void(const TemporaryFolder&)> makers[] = {
      [](const TemporaryFolder& folder) { folder.write("notes.txt", "mine"); },
      [](const TemporaryFolder& folder) { folder.write(".shardmill/notes.txt", "mine"); },
      [](const TemporaryFolder& folder) { folder.write("dataset.json", "{}"); },
      [](const TemporaryFolder& folder) { folder.write("run.json", "{}"); },
      [](const TemporaryFolder& folder) { folder.write("shards/a.tar", ""); }};
  for (const auto& make : makers) {
    const TemporaryFolder folder;
    make(folder);
    for (const OutputKind kind : kKinds) EXPECT_FALSE(is_taken(folder.path().string(), kind));
  }
}

TEST(OutputFolder, AFolderOfOneKindIsNotTakenForAnother) {
  const MadeDataset made;
  EXPECT_TRUE(is_taken(made.folder(), OutputKind::dataset));
  EXPECT_FALSE(is_taken(made.folder(), OutputKind::converted));
  const TemporaryFolder converted;
  write_converted_record(converted.path().string(), "a.tar", "x");
  converted.write("a.tar", "x");
  EXPECT_TRUE(is_taken(converted.path().string(), OutputKind::converted));
  EXPECT_FALSE(is_taken(converted.path().string(), OutputKind::dataset));
}

TEST(OutputFolder, NothingIsPutIntoAFinishedDataset) {
  const MadeDataset made;
  for (const char* inner : {"new", "shards", "shards/new/deep"}) {
    EXPECT_THROW(check_not_in_dataset(made.path(inner)), Error) << inner;
    EXPECT_FALSE(is_taken(made.path(inner), OutputKind::converted)) << inner;
  }
  EXPECT_TRUE(is_taken(made.path("ranks"), OutputKind::rank_lists));
  EXPECT_NO_THROW(check_not_in_dataset(made.folder()));
  // A link does not help.
  const TemporaryFolder elsewhere;
  fs::create_directory_symlink(made.path("shards"), elsewhere.file("link"));
  EXPECT_THROW(check_not_in_dataset(elsewhere.file("link/new")), Error);
}

TEST(OutputFolder, ALinkInPlaceOfAFolderOfTheDatasetIsRefused) {
  const MadeDataset made;
  fs::rename(made.path("shards"), made.path("elsewhere"));
  fs::create_directory_symlink(made.path("elsewhere"), made.path("shards"));
  EXPECT_FALSE(is_taken(made.folder(), OutputKind::dataset));
}

TEST(OutputFolder, ALockAloneIsNoUnfinishedRun) {
  const TemporaryFolder folder;
  const std::string path = folder.path().string();
  EXPECT_FALSE(holds_unfinished_run(path));
  folder.write(".shardmill/lock", "");
  EXPECT_FALSE(holds_unfinished_run(path));
  folder.write(".shardmill/journal", "");
  EXPECT_TRUE(holds_unfinished_run(path));
}

TEST(OutputFolder, WhatIndexStagesIsNoWorkOfARun) {
  const TemporaryFolder folder;
  const std::string path = folder.path().string();
  folder.write(".shardmill/staged_indexes/x.idx", "");
  EXPECT_FALSE(holds_work_of_run(path));
  folder.write(".shardmill/lock", "");
  EXPECT_FALSE(holds_work_of_run(path));
  folder.write(".shardmill/journal", "");
  EXPECT_TRUE(holds_work_of_run(path));
}

TEST(OutputFolder, RecordsTellThatADatasetWasHere) {
  const MadeDataset made;
  EXPECT_TRUE(has_records_of_dataset(made.folder()));
  fs::remove(made.path("dataset.json"));
  EXPECT_TRUE(has_records_of_dataset(made.folder()));
  made.flip("run.json", 10);
  EXPECT_FALSE(has_records_of_dataset(made.folder()));
}

TEST(OutputFolder, ASingleFileMayReplaceAnotherButNoneOfADataset) {
  const MadeDataset made;
  const TemporaryFolder folder;
  EXPECT_FALSE(check_file_may_be_written(folder.file("page.html")));
  EXPECT_TRUE(check_file_may_be_written(folder.write("page.html", "old")));
  EXPECT_THROW(check_file_may_be_written(folder.path().string()), Error);
  fs::create_symlink(folder.file("page.html"), folder.file("link"));
  EXPECT_THROW(check_file_may_be_written(folder.file("link")), Error);
  for (const char* inner : {"dataset.json", "shards/audio_000000000.tar", ".shardmill/x", "SHA256SUMS"}) {
    EXPECT_THROW(check_file_may_be_written(made.path(inner)), Error) << inner;
  }
  EXPECT_FALSE(check_file_may_be_written(made.path("report.html")));
  EXPECT_FALSE(check_file_may_be_written(made.path("notes.html")));
}

TEST(OutputFolder, AWorkFolderOfOthersIsInTheWay) {
  const TemporaryFolder folder;
  const std::string path = folder.path().string();
  EXPECT_NO_THROW(check_work_folder_is_ours(path));
  folder.write(".shardmill/lock", "");
  EXPECT_NO_THROW(check_work_folder_is_ours(path));
  folder.write(".shardmill/theirs", "");
  EXPECT_THROW(check_work_folder_is_ours(path), Error);
}

}  // namespace
}  // namespace shardmill::dataset
