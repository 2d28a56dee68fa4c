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

TEST(IndexCommand, WritesTheIndexesThatItIsAskedFor) {
  const MadeDataset made;
  EXPECT_EQ(run_command("index", {made.folder(), "--index", "wids,dali"}).code, 0);
  EXPECT_EQ(run_command("verify", {made.folder(), "--quiet"}).code, 0);
  EXPECT_THAT(made.read("SHA256SUMS"), HasSubstr("audio_000000001.idx"));
}

TEST(IndexCommand, WrongUsageIsRefused) {
  const MadeDataset made;
  EXPECT_THROW(run_command("index", {made.folder(), "--index", "nobody"}), UsageError);
  EXPECT_THROW(run_command("index", {"--index", "wids"}), UsageError);
}

}  // namespace
}  // namespace shardmill::cli
