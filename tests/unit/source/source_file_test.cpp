#include "source/source_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

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

TEST(NamedPathsTest, TheFirstThatIsThereDecidesForAll) {
  const TemporaryFolder folder;
  folder.write("k/au/r1", "x");
  folder.write("k/au/r2", "x");
  folder.write("other", "x");
  NamedPaths paths(folder.file("k/data/train/wav.scp"));
  EXPECT_EQ(paths.resolve("au/none"), "au/none");
  EXPECT_EQ(paths.resolve("au/r1"), folder.file("k/au/r1"));
  EXPECT_EQ(paths.resolve("other"), folder.file("k/other")) << "which is not there, and is reported";
  EXPECT_EQ(paths.resolve_command("cat au/r2"), "cd -- '" + folder.file("k") + "' && cat au/r2");
  EXPECT_EQ(paths.resolve_command("cat /au/r2"), "cat /au/r2");
  EXPECT_EQ(paths.resolve_command("cat au/none"), "cat au/none");
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
  EXPECT_EQ(NamedPaths(list).resolve("beside"), folder.file("lists/beside"));
  EXPECT_EQ(NamedPaths(list).resolve("/absolute"), "/absolute");
  EXPECT_EQ(NamedPaths(list).resolve("nowhere"), "nowhere");
  EXPECT_EQ(NamedPaths("l").resolve("nowhere"), "nowhere");
  const std::string here = fs::relative(folder.write("there", ""), fs::current_path()).string();
  EXPECT_EQ(NamedPaths(list).resolve(here), here);
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
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Promise promise(const std::string& dataset, const std::vector<std::string>& keys) {
  return {.dataset = dataset, .rest = [keys](const LoseUtterance& lose) {
            for (const std::string& key : keys) lose({.key = key, .error = Error("is gone")});
          }};
}

std::vector<std::string> broken(const Promises& promises) {
  std::vector<std::string> found;
  promises.for_each_broken(
      [&](const Unusable& one) { found.push_back(one.dataset + " " + one.key + " " + one.error.problem()); });
  return found;
}

TEST(PromisesTest, ThoseThatNobodyMet) {
  const std::vector<Promise> all{promise("x", {"c", "a"}), promise("y", {"b"})};
  Promises promises(all);
  EXPECT_THAT(broken(promises), ElementsAre("x c is gone", "x a is gone", "y b is gone"));
  promises.meet("b");
  promises.meet("bb");
  promises.meet("");
  EXPECT_THAT(broken(promises), ElementsAre("x c is gone", "x a is gone"));
  promises.meet("a");
  promises.meet("c");
  EXPECT_THAT(broken(promises), IsEmpty());
}

TEST(PromisesTest, None) {
  const std::vector<Promise> none;
  Promises promises(none);
  promises.meet("a");
  EXPECT_THAT(broken(promises), IsEmpty());
}

}  // namespace
}  // namespace shardmill::source
