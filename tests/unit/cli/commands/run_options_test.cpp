#include "cli/commands/run_options.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "base/error.hpp"
#include "repack/losses.hpp"

namespace shardmill::cli {
namespace {

TEST(MaxRejects, IsANumberOrAll) {
  EXPECT_EQ(parse_max_rejects("0"), 0U);
  EXPECT_EQ(parse_max_rejects("10"), 10U);
  EXPECT_EQ(parse_max_rejects("999999999999999999"), 999'999'999'999'999'999U);
  EXPECT_EQ(parse_max_rejects("all"), repack::kAnyNumber);
}

TEST(MaxRejects, AnythingElseIsWrongUsage) {
  for (const char* wrong :
       {"", "-1", "+1", "1.5", "1e3", "ten", "All", " 3", "3 ", "0x10", "10000000000000000000"})
    EXPECT_THROW(parse_max_rejects(wrong), UsageError) << wrong;
}

TEST(MaxRejects, TheMessageCannotBreakTheTerminal) {
  try {
    parse_max_rejects("\x1b[2J");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_EQ(std::string(error.what()).find('\x1b'), std::string::npos);
  }
}

TEST(MemoryBoundOption, IsGivenOnlyWhereTheUserGaveIt) {
  CommonOptions common;
  common.is_memory_given = false;
  EXPECT_EQ(memory_bound(common), pipeline::MemoryBound::standard);
  common.is_memory_given = true;
  EXPECT_EQ(memory_bound(common), pipeline::MemoryBound::given);
}

/// Sets the variable for one test.
class CheckpointsOption : public ::testing::Test {
 protected:
  ~CheckpointsOption() override { ::unsetenv("SHARDMILL_CHECKPOINT_BYTES"); }
  static pipeline::CheckpointInterval checkpoints_with(const char* value) {
    ::setenv("SHARDMILL_CHECKPOINT_BYTES", value, 1);
    return checkpoints();
  }
};

TEST_F(CheckpointsOption, ComeAsOftenAsTheVariableSays) {
  ::unsetenv("SHARDMILL_CHECKPOINT_BYTES");
  EXPECT_EQ(checkpoints().input_bytes, pipeline::CheckpointInterval().input_bytes);
  EXPECT_EQ(checkpoints_with("1").input_bytes, 1U);
  EXPECT_EQ(checkpoints_with("4k").input_bytes, 4000U);
}

TEST_F(CheckpointsOption, NonsenseIsWrongUsage) {
  EXPECT_THROW(checkpoints_with("0"), UsageError);
  EXPECT_THROW(checkpoints_with("often"), UsageError);
  EXPECT_THROW(checkpoints_with(""), UsageError);
}

}  // namespace
}  // namespace shardmill::cli
