#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "cli/command.hpp"
#include "cli/commands/run_command.hpp"
#include "support/made_dataset.hpp"

namespace shardmill::cli {
namespace {

using ::testing::HasSubstr;
using testing::MadeDataset;

TEST(CatCommand, WritesTheTarOrAMember) {
  const MadeDataset made;
  EXPECT_TRUE(run_command("cat", {made.source()}).out == base::read_text(made.source()));
  EXPECT_EQ(run_command("cat", {made.source(), "key2.txt"}).out, "text of key2");
}

TEST(CatCommand, WrongUsageIsRefused) {
  const MadeDataset made;
  EXPECT_THROW(run_command("cat", {}), UsageError);
  EXPECT_THROW(run_command("cat", {"a", "b", "c"}), UsageError);
  EXPECT_THROW(run_command("cat", {made.source(), "nobody"}), Error);
}

}  // namespace
}  // namespace shardmill::cli
