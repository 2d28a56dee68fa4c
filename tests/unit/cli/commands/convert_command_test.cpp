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

TEST(ConvertCommand, SaysInJsonWhatItDidAndFailsWhereOneShardFails) {
  const MadeDataset made;
  const testing::TemporaryFolder folder;
  const std::string out = folder.file("out");
  const Ran good = run_command("convert", {made.source(), "--out", out, "--codec", "zstd", "--json"});
  EXPECT_EQ(good.code, 0);
  EXPECT_TRUE(std::filesystem::exists(out + "/source.tar.zst"));
  EXPECT_TRUE(nlohmann::json::accept(good.out));
  EXPECT_THAT(good.out, HasSubstr("source.tar.zst"));
  const std::string bad = folder.write("bad.tar.gz", std::string("\x1f\x8b\x08\0nonsense", 12));
  EXPECT_EQ(run_command("convert", {bad, "--out", out, "--quiet"}).code, 1);
}

TEST(ConvertCommand, WrongUsageIsRefused) {
  EXPECT_THROW(run_command("convert", {"--out", "x"}), UsageError);
  EXPECT_THROW(run_command("convert", {"a.tar"}), UsageError);
  EXPECT_THROW(run_command("convert", {"a.tar", "--out", "x", "--codec", "bzip2"}), UsageError);
}

}  // namespace
}  // namespace shardmill::cli
