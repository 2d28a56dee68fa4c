#include "dataset/converted_record.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "support/temporary_folder.hpp"

namespace shardmill::dataset {
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
