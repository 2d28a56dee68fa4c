#include "source/source_file.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "base/error.hpp"
#include "source/source_set.hpp"
#include "support/command_output.hpp"
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

namespace fs = std::filesystem;
using shardmill::testing::TemporaryFolder;

TEST(Estimate, AddsUpFilesOfSeveralCodecs) {
  const TemporaryFolder folder;
  fs::create_directory(folder.file("d"));
  shardmill::testing::command_output("cd " + folder.file("d") +
                                     " && seq 99999 | head -c 300000 > a.tar && "
                                     "gzip -k a.tar && zstd -q a.tar");
  const SourceSet set = find_sources({folder.file("d")}, {});
  ASSERT_EQ(set.datasets[0].files.size(), 3u);
  EXPECT_NEAR(static_cast<double>(estimate_tar_bytes(set.datasets[0].files)), 900'000, 2);
}

TEST(Estimate, ManyFilesAreSampled) {
  const TemporaryFolder folder;
  for (int i = 0; i < 200; ++i) folder.write("d/" + std::to_string(i) + ".tar", std::string(1000, 'x'));
  const SourceSet set = find_sources({folder.file("d")}, {});
  EXPECT_NEAR(static_cast<double>(estimate_tar_bytes(set.datasets[0].files)), 200'000, 1);
}

TEST(Estimate, NothingIsNothingAndAMissingFileIsAnError) {
  EXPECT_EQ(estimate_tar_bytes({}), 0u);
  EXPECT_THROW(estimate_tar_bytes({{.path = "/nowhere.tar", .bytes = 1}}), Error);
}

}  // namespace
}  // namespace shardmill::source
