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

TEST(VerifyCommand, TheExitCodeTellsGoodFromDamaged) {
  const MadeDataset made;
  const Ran good = run_command("verify", {made.folder(), "--json"});
  EXPECT_EQ(good.code, 0);
  EXPECT_EQ(nlohmann::json::parse(good.out)["samples"], MadeDataset::kSamples);
  made.flip("shards/audio_000000001.tar", 2000);
  const Ran bad = run_command("verify", {made.folder(), "--json"});
  EXPECT_EQ(bad.code, 1);
  EXPECT_THAT(bad.out, HasSubstr("audio_000000001.tar"));
  EXPECT_EQ(run_command("verify", {made.folder(), "--quiet"}).code, 1);
}

TEST(VerifyCommand, WrongUsageIsRefused) {
  EXPECT_THROW(run_command("verify", {}), UsageError);
}

}  // namespace
}  // namespace shardmill::cli
