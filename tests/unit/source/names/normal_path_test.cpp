#include "source/names/normal_path.hpp"

#include <gtest/gtest.h>

#include <filesystem>

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

}  // namespace
}  // namespace shardmill::source
