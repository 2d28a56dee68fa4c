#include "base/io/folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "base/error.hpp"
#include "base/io/file.hpp"

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

TEST_F(Folder, NamesInsideHaveOneSlash) {
  EXPECT_EQ(inside("a", "b"), "a/b");
  EXPECT_EQ(inside("a/", "b"), "a/b");
  EXPECT_EQ(inside("s3://store/set/", "shards/x.tar"), "s3://store/set/shards/x.tar");
}

TEST_F(Folder, KnowsTheSizesOfFiles) {
  EXPECT_EQ(size_of_file(folder_ / "file"), 4u);
  fs::create_symlink("file", folder_ / "link");
  EXPECT_EQ(size_of_file(folder_ / "link"), 4u);
  EXPECT_EQ(size_of_file(folder_ / "inner"), std::nullopt);
  EXPECT_EQ(size_of_file(folder_ / "none"), std::nullopt);
}

TEST_F(Folder, AReplacedFileHasAnotherVersion) {
  const auto before = version_of(folder_ / "file");
  ASSERT_TRUE(before);
  EXPECT_EQ(version_of(folder_ / "file"), before);
  std::ofstream(folder_ / "new") << "text";
  fs::rename(folder_ / "new", folder_ / "file");
  EXPECT_NE(version_of(folder_ / "file"), before);
  EXPECT_EQ(version_of(folder_ / "none"), std::nullopt);
}

TEST_F(Folder, OfADiskNothingIsListedBeforehand) {
  const ListedFolder listed(folder_.string());
  std::ofstream(folder_ / "later") << "x";
  EXPECT_EQ(size_of_file(folder_ / "later"), 1u);
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

namespace {

class Entries : public ::testing::Test {
 protected:
  Entries() {
    std::string pattern = (fs::temp_directory_path() / "shardmill-entry-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    std::ofstream(folder_ / "file") << "text";
    fs::create_directories(folder_ / "inner/most");
    fs::create_symlink("inner", folder_ / "link");
    fs::create_symlink("nowhere", folder_ / "dangling");
    ::mkfifo((folder_ / "pipe").c_str(), 0600);
  }
  ~Entries() override { fs::remove_all(folder_); }

  fs::path folder_;
};

TEST_F(Entries, AreSeenWithoutFollowingLinks) {
  EXPECT_EQ(entry_at(folder_ / "file"), Entry::file);
  EXPECT_EQ(entry_at(folder_ / "inner"), Entry::folder);
  EXPECT_EQ(entry_at(folder_ / "link"), Entry::link);
  EXPECT_EQ(entry_at(folder_ / "dangling"), Entry::link);
  EXPECT_EQ(entry_at(folder_ / "pipe"), Entry::other);
  EXPECT_EQ(entry_at(folder_ / "none"), Entry::nothing);
  EXPECT_EQ(entry_at(folder_ / "file/below"), Entry::nothing);
}

TEST_F(Entries, AreTheSameUnderAllTheirNames) {
  EXPECT_EQ(identity_of(folder_ / "link"), identity_of(folder_ / "inner"));
  EXPECT_NE(identity_of(folder_ / "file"), identity_of(folder_ / "inner"));
  EXPECT_FALSE(identity_of(folder_ / "dangling"));
}

TEST_F(Entries, LieInAFolderAlsoThroughALink) {
  EXPECT_TRUE(lies_in(folder_ / "link/most/not/there", folder_ / "inner"));
  EXPECT_TRUE(lies_in(folder_ / "inner", folder_ / "link"));
  EXPECT_FALSE(lies_in(folder_, folder_ / "inner"));
  EXPECT_FALSE(lies_in(folder_ / "inner/../file", folder_ / "inner"));
  EXPECT_FALSE(lies_in(folder_ / "inner", folder_ / "none"));
}

TEST_F(Entries, AreReachedWithoutLinksOrNot) {
  EXPECT_TRUE(is_reached_without_links(folder_, "inner/most/x"));
  EXPECT_TRUE(is_reached_without_links(folder_, "new/x"));
  EXPECT_FALSE(is_reached_without_links(folder_, "link/x"));
  EXPECT_FALSE(is_reached_without_links(folder_, "file/x"));
}

TEST_F(Entries, FoldersGoOnlyWhenNothingIsInThem) {
  remove_folder_if_empty(folder_ / "inner");
  remove_folder_if_empty(folder_ / "none");
  EXPECT_TRUE(fs::exists(folder_ / "inner/most"));
  remove_folder_if_empty(folder_ / "inner/most");
  EXPECT_FALSE(fs::exists(folder_ / "inner/most"));
}

TEST_F(Entries, AtomicFilesReplaceOnlyRegularFiles) {
  for (const char* name : {"inner", "link", "dangling", "pipe"})
    EXPECT_THROW(AtomicFile((folder_ / name).string()), Error) << name;
  AtomicFile file((folder_ / "file").string());
  file.write(std::string_view("new"));
  file.commit();
  EXPECT_EQ(read_text((folder_ / "file").string()), "new");
}

TEST_F(Entries, AtomicFilesWriteUnderANameOfTheirOwn) {
  const fs::path part = folder_ / ".x.shardmill.part";
  std::ofstream(part) << "left by a crash";
  {
    AtomicFile file((folder_ / "x").string());
    EXPECT_TRUE(is_part_of_atomic_file(part));
    EXPECT_EQ(fs::file_size(part), 0);
    EXPECT_THROW(AtomicFile((folder_ / "x").string()), Error);  // while the other one is at work
  }
  EXPECT_FALSE(fs::exists(part));
  fs::create_symlink("file", part);
  EXPECT_THROW(AtomicFile((folder_ / "x").string()), Error);
  fs::remove(part);
  fs::create_hard_link(folder_ / "file", part);
  EXPECT_THROW(AtomicFile((folder_ / "x").string()), Error);
  EXPECT_EQ(read_text((folder_ / "file").string()), "text");
}

}  // namespace

}  // namespace shardmill::base
