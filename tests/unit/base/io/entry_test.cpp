#include "base/io/entry.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "base/error.hpp"
#include "base/io/file.hpp"

namespace shardmill::base {
namespace {

namespace fs = std::filesystem;

class Entries : public testing::Test {
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
