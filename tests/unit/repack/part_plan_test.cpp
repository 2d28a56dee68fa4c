#include "repack/part_plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/io/binary_fields.hpp"
#include "base/io/folder.hpp"
#include "base/version.hpp"
#include "pipeline/journal.hpp"
#include "repack/home.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::repack {
namespace {

using ::testing::HasSubstr;

class PartPlans : public ::testing::Test {
 protected:
  PartPlans() { base::make_folders(work_folder_of(out_)); }

  std::string problem_of_reading() {
    try {
      const auto plan = read_part_plan(out_);
      (void)options_of(plan.value(), place());
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

  RepackOptions place() const {
    RepackOptions options;
    options.out_folder = out_;
    return options;
  }

  testing::TemporaryFolder folder_;
  const std::string out_ = (folder_.path() / "out").string();
};

TEST_F(PartPlans, ComeBackAsTheyWereWritten) {
  EXPECT_FALSE(read_part_plan(out_));
  dataset::Recipe recipe;
  recipe.prefix = "not UTF-8: \xff";
  recipe.sizing = {.by = deal::ShardSizing::By::shards, .amount = 7};
  write_part_plan(out_, {.version = std::string(base::version()),
                         .recipe = text_of(recipe),
                         .sources = {"a=/x\n/\xff", "/y"},
                         .allow_commands = true,
                         .max_rejects = 5,
                         .command = "shardmill repack",
                         .working_folder = "/w",
                         .parts = 3,
                         .shards = 7,
                         .fingerprint = "all",
                         .id = "id"});
  const auto plan = read_part_plan(out_);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->working_folder, "/w");
  EXPECT_EQ(plan->parts, 3U);
  EXPECT_EQ(plan->shards, 7U);
  EXPECT_EQ(plan->fingerprint, "all");
  EXPECT_EQ(plan->id, "id");
  const RepackOptions options = options_of(*plan, place());
  EXPECT_EQ(text_of(options.recipe), text_of(recipe));
  EXPECT_EQ(options.sources, (std::vector<std::string>{"a=/x\n/\xff", "/y"}));
  EXPECT_TRUE(options.allow_commands);
  EXPECT_EQ(options.max_rejects, 5U);
  EXPECT_EQ(options.command, "shardmill repack");
  EXPECT_EQ(options.out_folder, out_);
}

TEST_F(PartPlans, OfOtherVersionsAreRefusedWithAWayOut) {
  PartPlan plan;
  plan.version = "0.0.9";
  write_part_plan(out_, plan);
  EXPECT_THAT(problem_of_reading(), HasSubstr("was planned by shardmill 0.0.9"));
  // Before recipes, a plan began with the version.
  base::BinaryWriter old;
  old.put("0.1.0");
  old.put("/working/folder");
  pipeline::write_journal(work_folder_of(out_) + "/plan", {.fingerprint = "x", .body = old.take()});
  EXPECT_THAT(problem_of_reading(), HasSubstr("older version of shardmill planned"));
  EXPECT_THAT(problem_of_reading(), HasSubstr("finish it with that version"));
}

TEST(AbsoluteSource, MeansTheSameInEveryFolder) {
  const std::string here = std::filesystem::current_path().string();
  EXPECT_EQ(absolute_source("/a/b"), "/a/b");
  EXPECT_EQ(absolute_source("n=/a=b"), "n=/a=b");
  EXPECT_EQ(absolute_source("a/*.tar"), here + "/a/*.tar");
  EXPECT_EQ(absolute_source("n=./x"), "n=" + here + "/x");
  EXPECT_EQ(absolute_source("./x=y"), here + "/x=y");
  EXPECT_EQ(absolute_source("n=kaldi:k"), "n=kaldi:" + here + "/k");
  EXPECT_EQ(absolute_source("./kaldi:x"), here + "/kaldi:x");
  EXPECT_EQ(absolute_source("dataset:../d"), "dataset:" + here + "/../d");
}

}  // namespace
}  // namespace shardmill::repack
