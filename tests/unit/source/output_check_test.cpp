#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/error.hpp"
#include "source/source_set.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::source {
namespace {

using ::testing::HasSubstr;

class OutputCheckTest : public ::testing::Test {
 protected:
  /// A set of one dataset of one file.
  SourceSet set_of(const std::string& path, SourceKind kind = SourceKind::shard) const {
    SourceSet set;
    set.datasets.emplace_back();
    SourceFile file;
    file.path = path;
    file.kind = kind;
    set.datasets.back().files.push_back(std::move(file));
    return set;
  }
  std::string problem(const SourceSet& set, const std::string& output = "out") const {
    try {
      check_output_folder(folder_.file(output), set);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "no problem";
  }

  testing::TemporaryFolder folder_;
};

TEST_F(OutputCheckTest, NeitherLiesInTheOther) {
  SourceSet set = set_of(folder_.write("in/a.tar", "x"));
  EXPECT_EQ(problem(set), "no problem");
  set.folders = {folder_.file("in")};
  EXPECT_EQ(problem(set), "no problem");
  EXPECT_THAT(problem(set, "in/out"), HasSubstr("lies in the source folder"));
  EXPECT_EQ(problem(set, "in_out"), "no problem");
  EXPECT_THAT(problem(set_of(folder_.write("out/shards/a.tar", "x"))), HasSubstr("holds the source"));
}

TEST_F(OutputCheckTest, TheSameFileUnderAnotherPath) {
  const std::string inside = folder_.write("out/a.tar", "x");
  std::filesystem::create_directories(folder_.file("in"));
  std::filesystem::create_hard_link(inside, folder_.file("in/hard.tar"));
  std::filesystem::create_symlink(inside, folder_.file("in/soft.tar"));
  EXPECT_THAT(problem(set_of(folder_.file("in/hard.tar"))), HasSubstr("is the same file as"));
  EXPECT_NE(problem(set_of(folder_.file("in/soft.tar"))), "no problem");
  EXPECT_EQ(problem(set_of(folder_.write("in/copy.tar", "x"))), "no problem");
}

TEST_F(OutputCheckTest, CommandsThatReadTheOutput) {
  const std::string output = folder_.file("out");
  EXPECT_THAT(problem(set_of("sox " + output + "/a.wav -t wav -", SourceKind::command)),
              HasSubstr("a command of wav.scp reads files of the output folder"));
  EXPECT_EQ(problem(set_of("sox " + output + "_of_others/a.wav -t wav -", SourceKind::command)),
            "no problem");
  EXPECT_EQ(problem(set_of("sox x" + output + "/a.wav -t wav -", SourceKind::command)), "no problem");
}

}  // namespace
}  // namespace shardmill::source
