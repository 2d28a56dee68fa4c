#include <gtest/gtest.h>

#include <filesystem>

#include "base/error.hpp"
#include "source/file_name.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::source {
namespace {

TEST(NormalPath, SpellingsOfOnePathAreOne) {
  for (const char* path : {"/a/b", "/a/b/", "/a/./b", "/a//b", "/a/c/../b", "//a/b/.", "/../a/b"})
    EXPECT_EQ(normal_path(path), "/a/b") << path;
}

TEST(NormalPath, TheRootKeepsItsSlash) {
  EXPECT_EQ(normal_path("/"), "/");
  EXPECT_EQ(normal_path("/a/.."), "/");
}

TEST(NormalPath, BeginsInTheWorkingFolder) {
  const std::string here = std::filesystem::current_path().string();
  EXPECT_EQ(normal_path("x/../y"), here + "/y");
  EXPECT_EQ(normal_path("."), here);
  EXPECT_EQ(normal_path("./"), here);
}

TEST(NormalPath, LinksStayAsTheyAre) {
  const testing::TemporaryFolder folder;
  folder.write("real/file", "");
  std::filesystem::create_directory_symlink("real", folder.path() / "link");
  EXPECT_EQ(normal_path(folder.file("link/file")), folder.file("link/file"));
}

using shardmill::testing::TemporaryFolder;

std::string problem_with_list(const TemporaryFolder& folder, const std::string& text) {
  base::LineReader lines(folder.write("l.list", text));
  try {
    read_path_list(lines);
  } catch (const Error& error) {
    return error.problem();
  }
  return "no problem";
}

TEST(PathList, CommentsBlanksAndWindowsLineEnds) {
  const TemporaryFolder folder;
  base::LineReader lines(
      folder.write("l", "# shards\r\n\r\n/a b/1.tar\r\n  2.tar \n\t# not this\n#3.tar\nx#4.tar"));
  const auto paths = read_path_list(lines);
  ASSERT_EQ(paths.size(), 3u);
  EXPECT_EQ(paths[0].path, "/a b/1.tar");
  EXPECT_EQ(paths[0].line, 3u);
  EXPECT_EQ(paths[1].path, "2.tar");
  EXPECT_EQ(paths[2].path, "x#4.tar");
  EXPECT_EQ(paths[2].line, 7u);
}

TEST(PathList, AByteOrderMarkIsNoPartOfAPath) {
  const TemporaryFolder folder;
  base::LineReader lines(folder.write("l", "\xEF\xBB\xBF/a/1.tar\n2.tar\n"));
  EXPECT_EQ(read_path_list(lines).at(0).path, "/a/1.tar");
}

TEST(PathList, WhatIsNoPathIsRefusedWithItsLine) {
  const TemporaryFolder folder;
  EXPECT_EQ(problem_with_list(folder, "a.tar\nb\x01.tar\n"), "line 2: holds control characters: no path");
  EXPECT_EQ(problem_with_list(folder, "{\"key\": \"x\"}\n"), "line 1: is JSON, not a path");
  EXPECT_EQ(problem_with_list(folder, "{\"key\": \"x\", \"id\": 01}\n"),
            "line 1: is not valid JSON: Problem while parsing a number");
  EXPECT_EQ(problem_with_list(folder, ""), "no problem");
}

TEST(PathList, RelativePathsStartAtTheListThenAtTheWorkingFolder) {
  const TemporaryFolder folder;
  folder.write("lists/a.tar", "x");
  const std::string list = folder.file("lists/l");
  EXPECT_EQ(resolve_listed(list, "a.tar"), folder.file("lists/a.tar"));
  EXPECT_EQ(resolve_listed(list, "missing.tar"), "missing.tar");
  EXPECT_EQ(resolve_listed(list, "/abs.tar"), "/abs.tar");
}

}  // namespace
}  // namespace shardmill::source
