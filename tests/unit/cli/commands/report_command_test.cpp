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

TEST(ReportCommand, WritesThePage) {
  const MadeDataset made;
  EXPECT_EQ(run_command("report", {made.folder(), "--json"}).code, 0);
  EXPECT_TRUE(made.read("report.html").starts_with("<!DOCTYPE html>"));
}

TEST(ReportCommand, WrongUsageIsRefused) {
  const MadeDataset made;
  EXPECT_THROW(run_command("report", {}), UsageError);
  EXPECT_THROW(run_command("report", {made.folder(), "--out", made.path("dataset.json")}), Error);
}

}  // namespace
}  // namespace shardmill::cli
