#include "dataset/owned_files.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/error.hpp"
#include "base/hash/hash.hpp"
#include "base/io/file.hpp"
#include "support/made_dataset.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::dataset {
namespace {

namespace fs = std::filesystem;
using testing::MadeDataset;
using testing::TemporaryFolder;

FileNames files_in(const std::string& folder) {
  FileNames names;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string name = entry.path().lexically_relative(folder).string();
    if (entry.is_regular_file() && !name.starts_with(".shardmill")) names.insert(name);
  }
  return names;
}

TEST(OwnedFiles, AreJustThoseThatRepackWrote) {
  const MadeDataset made([](repack::RepackOptions& options) {
    options.recipe.indexes = {form_named("wids"), form_named("dali"), form_named("energon"),
                              form_named("speechbrain")};
  });
  const FileNames there = files_in(made.folder());
  EXPECT_EQ(dataset_file_names(made.folder()), there);
  made.write("notes.txt", "mine");
  made.write("shards/notes.txt", "mine");
  made.write("report.html", "<!DOCTYPE html> my own");
  EXPECT_EQ(dataset_file_names(made.folder()), there);
}

TEST(OwnedFiles, AreKnownFromAnyRecordsThatAreLeft) {
  const MadeDataset made;
  const FileNames there = files_in(made.folder());
  for (const char* lost : {"dataset.json", "run.json", "shards.jsonl", "SHA256SUMS"}) {
    const std::string content = made.read(lost);
    fs::remove(made.path(lost));
    EXPECT_EQ(dataset_file_names(made.folder()), there) << lost;
    made.write(lost, content);
  }
}

TEST(OwnedFiles, AreNoneWithoutADataset) {
  const TemporaryFolder folder;
  folder.write("SHA256SUMS", std::string(64, 'a') + "  precious.txt\n");
  EXPECT_TRUE(dataset_file_names(folder.path().string()).empty());
}

TEST(OwnedFiles, LinesThatOthersAddedToTheChecksumsMakeNothingOurs) {
  const MadeDataset made;
  made.write("SHA256SUMS", made.read("SHA256SUMS") + std::string(64, 'a') + "  precious.txt\n");
  EXPECT_FALSE(dataset_file_names(made.folder()).contains("precious.txt"));
}

TEST(OwnedFiles, NamesOfADatasetAreThoseThatAreThere) {
  const MadeDataset made;
  const auto names = names_in_dataset({.prefix = "audio", .codec_suffix = "", .shards = 2});
  EXPECT_EQ(FileNames(names.begin(), names.end()), files_in(made.folder()));
}

TEST(HoldsJust, TheBytesOfARegularFile) {
  const TemporaryFolder folder;
  const std::string path = folder.write("a", "content");
  const std::string sha256 = base::sha256_hex(base::as_bytes(std::string_view("content")));
  EXPECT_TRUE(holds_just(path, sha256));
  fs::create_symlink(path, folder.file("link"));
  EXPECT_FALSE(holds_just(folder.file("link"), sha256));
  EXPECT_FALSE(holds_just(folder.file("missing"), sha256));
  folder.write("a", "Content");
  EXPECT_FALSE(holds_just(path, sha256));
}

TEST(CheckNotTaken, OnlyOwnedFilesMayBeReplaced) {
  const TemporaryFolder folder;
  const std::string path = folder.path().string();
  folder.write("ours", "");
  folder.write("theirs", "");
  fs::create_directory(folder.file("folder"));
  fs::create_directory_symlink(folder.file("folder"), folder.file("link"));
  const FileNames owned{"ours", "folder", "link/new"};
  EXPECT_NO_THROW(check_not_taken(path, {"ours", "new", "folder/new"}, owned));
  EXPECT_THROW(check_not_taken(path, {"theirs"}, owned), Error);
  EXPECT_THROW(check_not_taken(path, {"folder"}, owned), Error);
  EXPECT_THROW(check_not_taken(path, {"link/new"}, owned), Error);
  EXPECT_THROW(check_not_taken(path, {"theirs/new"}, owned), Error);
}

}  // namespace
namespace {

using testing::TemporaryFolder;

TEST(ConvertedRecord, ReadsBackAndMakesTheFolderConverts) {
  const TemporaryFolder folder;
  const std::string path = folder.path().string();
  EXPECT_FALSE(holds_converted_records(path));
  EXPECT_EQ(read_converted_record(path, "a.tar"), std::nullopt);
  write_converted_record(path, "a.tar", "details\nof two lines");
  write_converted_record(path, "a.tar", "newer");
  write_converted_record(path, "b.tar", "");
  EXPECT_EQ(read_converted_record(path, "a.tar"), "newer");
  EXPECT_EQ(read_converted_record(path, "b.tar"), "");
  EXPECT_TRUE(holds_converted_records(path));
  EXPECT_TRUE(holds_only_converted_records(folder.file(".shardmill/converted")));
}

TEST(ConvertedRecord, WhatOthersWroteIsNoRecord) {
  const TemporaryFolder folder;
  const std::string path = folder.path().string();
  for (const char* text : {"", "shardmill converted 2\nx", "shardmill converted 1", "notes\n"}) {
    folder.write(".shardmill/converted/a.tar", text);
    EXPECT_EQ(read_converted_record(path, "a.tar"), std::nullopt) << text;
    EXPECT_FALSE(holds_converted_records(path)) << text;
  }
  write_converted_record(path, "b.tar", "x");
  EXPECT_TRUE(holds_converted_records(path));
  EXPECT_FALSE(holds_only_converted_records(folder.file(".shardmill/converted")));
}

TEST(ConvertedRecord, ALinkIsNotFollowed) {
  const TemporaryFolder folder;
  const TemporaryFolder other;
  write_converted_record(other.path().string(), "a.tar", "x");
  std::filesystem::create_directories(folder.file(".shardmill/converted"));
  std::filesystem::create_symlink(other.file(".shardmill/converted/a.tar"),
                                  folder.file(".shardmill/converted/a.tar"));
  EXPECT_EQ(read_converted_record(folder.path().string(), "a.tar"), std::nullopt);
}

}  // namespace
}  // namespace shardmill::dataset
