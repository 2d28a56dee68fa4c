#include "source/regular_file.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "support/temporary_folder.hpp"

namespace shardmill::source {
namespace {

namespace fs = std::filesystem;
using shardmill::testing::TemporaryFolder;

std::string problem_at(const std::string& path, const std::string& named_at = {}) {
  const auto [file, problem] = look_up(path, named_at);
  EXPECT_EQ(file.path, path);
  return problem ? problem->problem() : "none";
}

TEST(LookUp, SizeAndTimeOrWhatIsWrong) {
  const TemporaryFolder folder;
  const std::string path = folder.write("a", "abc");
  EXPECT_EQ(problem_at(path), "none");
  EXPECT_EQ(look_up(path).first.bytes, 3u);
  EXPECT_GT(look_up(path).first.mtime_ns, 1'600'000'000'000'000'000);
  EXPECT_EQ(problem_at(folder.file("none")), "No such file or directory");
  EXPECT_EQ(problem_at(folder.file("none"), "l: line 3"), "No such file or directory (named in l: line 3)");
  EXPECT_EQ(problem_at(folder.path().string()), "is a folder, not a file");
  EXPECT_EQ(problem_at("/dev/null"), "is not a regular file");
  const std::string empty = folder.write("empty", "");
  EXPECT_EQ(problem_at(empty), "is empty (0 bytes)");
  EXPECT_FALSE(look_up(empty, {}, Empty::allowed).second);
}

TEST(ResolveNamed, FromTheWorkingFolderElseFromThatOfTheList) {
  const TemporaryFolder folder;
  const std::string list = folder.write("lists/l", "");
  folder.write("lists/beside", "");
  EXPECT_EQ(resolve_named(list, "beside"), folder.file("lists/beside"));
  EXPECT_EQ(resolve_named(list, "/absolute"), "/absolute");
  EXPECT_EQ(resolve_named(list, "nowhere"), "nowhere");
  EXPECT_EQ(resolve_named("l", "nowhere"), "nowhere");
  const std::string here = fs::relative(folder.write("there", ""), fs::current_path()).string();
  EXPECT_EQ(resolve_named(list, here), here);
}

}  // namespace
}  // namespace shardmill::source
