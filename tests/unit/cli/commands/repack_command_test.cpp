#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "cli/commands/repack.hpp"
#include "cli/commands/run_command.hpp"
#include "source/corpora.hpp"
#include "support/made_dataset.hpp"

namespace shardmill::cli {
namespace {

using ::testing::HasSubstr;
using testing::MadeDataset;

TEST(RepackCommand, HelpNamesThePrefixesOfAllCorpora) {
  const std::string about(find_command("repack").text.about);
  for (const source::Corpus* corpus : source::all_corpora()) {
    if (!corpus->is_read()) continue;
    EXPECT_THAT(about, HasSubstr(std::string(corpus->prefix) + ":"));
  }
}

TEST(RepackCommand, MakesTheSameDatasetAsTheEngine) {
  const MadeDataset made;
  const testing::TemporaryFolder folder;
  const std::string out = folder.file("out");
  const Ran ran = run_command("repack", {"set=" + made.source(), "--out", out, "--shards", "2", "--json"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(nlohmann::json::parse(ran.out)["samples"], MadeDataset::kSamples);
  for (const char* file : {"shards/audio_000000000.tar", "shards/audio_000000001.tar", "shards.jsonl",
                           "tarred_audio_manifest.json"})
    EXPECT_TRUE(base::read_text(out + "/" + file) == made.read(file)) << file;
}

TEST(RepackCommand, TooManyRejectsAreExitCodeThree) {
  const MadeDataset made;
  const testing::TemporaryFolder folder;
  std::string tar = base::read_text(made.source());
  tar.replace(tar.find("WAVEfmt"), 7, "nothing");
  const std::string bad = folder.write("bad.tar", tar);
  EXPECT_EQ(
      run_command("repack", {bad, "--out", folder.file("a"), "--shards", "2", "--on-error", "skip"}).code, 3);
  EXPECT_EQ(run_command("repack", {bad, "--out", folder.file("b"), "--shards", "2", "--on-error", "skip",
                                   "--max-rejects", "1"})
                .code,
            0);
  EXPECT_THROW(run_command("repack", {bad, "--out", folder.file("c"), "--shards", "2"}), Error);
}

TEST(RepackCommand, WrongUsageIsRefused) {
  const MadeDataset made;
  EXPECT_THROW(run_command("repack", {"--out", "x"}), UsageError);
  EXPECT_THROW(run_command("repack", {made.source()}), UsageError);
  EXPECT_THROW(run_command("repack", {made.source(), "--out", made.path("../x"), "--shards", "0"}),
               UsageError);
}

}  // namespace
}  // namespace shardmill::cli
