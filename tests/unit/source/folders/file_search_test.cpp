#include "source/folders/file_search.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/error.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::source {
namespace {

namespace fs = std::filesystem;
using shardmill::testing::TemporaryFolder;
using ::testing::ElementsAre;

TEST(FilesBelow, InTheOrderOfBytesFilesBeforeFolders) {
  const TemporaryFolder folder;
  for (const char* name :
       {"z.wav", "B.wav", "a.wav", "a.txt", "b/x.wav", "B/y.wav", "b/c/0.wav", ".h/x.wav"}) {
    folder.write(name, "x");
  }
  fs::create_directory_symlink(folder.file("b/c"), folder.file("link"));
  const auto is_audio = [](std::string_view name) { return name.ends_with(".wav"); };
  EXPECT_THAT(
      files_below(folder.path().string(), is_audio),
      ElementsAre(folder.file("B.wav"), folder.file("a.wav"), folder.file("z.wav"), folder.file("B/y.wav"),
                  folder.file("b/x.wav"), folder.file("b/c/0.wav"), folder.file("link/0.wav")));
}

TEST(FilesBelow, WhatCannotBeReadIsAnError) {
  const TemporaryFolder folder;
  const auto all = [](std::string_view) { return true; };
  EXPECT_THROW(files_below(folder.file("none"), all), Error);
  fs::create_directory_symlink(folder.path(), folder.file("up"));
  EXPECT_THROW(files_below(folder.path().string(), all), Error);
}

}  // namespace
}  // namespace shardmill::source
