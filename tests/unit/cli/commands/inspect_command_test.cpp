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

TEST(InspectCommand, TheExitCodeTellsGoodFromDamaged) {
  const MadeDataset made;
  const testing::TemporaryFolder folder;
  const Ran good = run_command("inspect", {made.source(), "--json"});
  EXPECT_EQ(good.code, 0);
  EXPECT_EQ(nlohmann::json::parse(good.out)["datasets"].at(0)["samples"], MadeDataset::kSamples);
  const std::string tar = base::read_text(made.source());
  EXPECT_EQ(run_command("inspect", {folder.write("cut.tar", tar.substr(0, 5000)), "--json"}).code, 1);
}

TEST(InspectCommand, WrongUsageIsRefused) {
  EXPECT_THROW(run_command("inspect", {}), UsageError);
}

}  // namespace
}  // namespace shardmill::cli
