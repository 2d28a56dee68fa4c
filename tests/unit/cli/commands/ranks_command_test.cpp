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

TEST(RanksCommand, WritesListsUnlessItIsADryRun) {
  const MadeDataset made;
  EXPECT_EQ(run_command("ranks", {made.folder(), "--world-size", "2", "--dry-run"}).code, 0);
  EXPECT_FALSE(std::filesystem::exists(made.path("ranks")));
  const Ran ran = run_command("ranks", {made.folder(), "--world-size", "2", "--json"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(nlohmann::json::parse(ran.out)["out"], made.path("ranks"));
  EXPECT_TRUE(std::filesystem::exists(made.path("ranks/plan.json")));
}

TEST(RanksCommand, WrongUsageIsRefused) {
  const MadeDataset made;
  for (const char* size : {"0", "x", "-1", "2,"})
    EXPECT_THROW(run_command("ranks", {made.folder(), "--world-size", size}), UsageError) << size;
  EXPECT_THROW(run_command("ranks", {made.folder(), "--world-size", "2", "--loader", "nobody"}), UsageError);
}

}  // namespace
}  // namespace shardmill::cli
