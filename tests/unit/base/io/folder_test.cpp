#include "base/io/folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/error.hpp"

namespace shardmill::base {
namespace {

namespace fs = std::filesystem;

class Folder : public ::testing::Test {
 protected:
  Folder() {
    std::string pattern = (fs::temp_directory_path() / "shardmill-folder-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    std::ofstream(folder_ / "file") << "text";
    fs::create_directories(folder_ / "inner/most");
  }
  ~Folder() override { fs::remove_all(folder_); }

  fs::path folder_;
};

TEST_F(Folder, TellsWhatExistsAndWhatCannotBeTold) {
  EXPECT_TRUE(base::exists(folder_ / "file"));
  EXPECT_TRUE(base::exists(folder_));
  EXPECT_FALSE(base::exists(folder_ / "none"));
  EXPECT_FALSE(base::exists(folder_ / "file/below"));
  EXPECT_THROW(base::exists(folder_ / std::string(300, 'x')), Error);
}

TEST_F(Folder, ListsEntries) {
  EXPECT_THAT(entries(folder_), ::testing::UnorderedElementsAre(folder_ / "file", folder_ / "inner"));
  try {
    entries(folder_ / "file");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.what(), (folder_ / "file").string() + ": cannot read the folder: Not a directory");
  }
}

TEST_F(Folder, RemovesTreesAndMissesNone) {
  remove_tree(folder_ / "inner");
  remove_tree(folder_ / "inner");
  remove_tree(folder_ / "file");
  EXPECT_TRUE(entries(folder_).empty());
}

TEST_F(Folder, WhatCannotBeExaminedMayExist) {
  fs::create_symlink("loop", folder_ / "loop");
  EXPECT_TRUE(may_exist(folder_ / "loop"));
  EXPECT_TRUE(may_exist(folder_ / "file"));
  EXPECT_FALSE(may_exist(folder_ / "none"));
}

TEST_F(Folder, NewFoldersGoAgainWhenNothingIsInThem) {
  {
    NewFolders folders;
    folders.make(folder_ / "a/b/c");
    folders.make(folder_ / "inner/d");
    folders.make(folder_ / "a/b/e");
    EXPECT_TRUE(fs::is_directory(folder_ / "a/b/c"));
    fs::create_directory(folder_ / "a/kept");
  }
  EXPECT_TRUE(fs::exists(folder_ / "a/kept"));
  EXPECT_FALSE(fs::exists(folder_ / "a/b"));
  EXPECT_FALSE(fs::exists(folder_ / "inner/d"));
  EXPECT_TRUE(fs::exists(folder_ / "inner"));
  EXPECT_THROW(NewFolders().make(folder_ / "file/below"), Error);
}

TEST_F(Folder, CanonicalPathsHaveNoLinks) {
  fs::create_directory_symlink("inner", folder_ / "link");
  const std::string inner = (fs::canonical(folder_) / "inner").string();
  EXPECT_EQ(base::canonical(folder_ / "link"), inner);
  EXPECT_EQ(base::canonical(folder_ / "link/most/../none"), inner + "/none");
}

}  // namespace
}  // namespace shardmill::base
