#include "manifest/layout.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "support/command_output.hpp"

namespace shardmill::manifest {
namespace {

TEST(Layout, NamesHaveNineDigitsOrAsManyAsItTakes) {
  EXPECT_EQ(shard_file_name("audio", 12, ".zst"), "audio_000000012.tar.zst");
  EXPECT_EQ(shard_file_name("a-b", 999999999, ""), "a-b_999999999.tar");
  EXPECT_EQ(shard_file_name("a", 1000000000, ""), "a_1000000000.tar");
  EXPECT_EQ(manifest_file_name(0), "manifest_000000000.json");
}

TEST(Layout, RecordsNameShardsAndManifestsWithTheirFolders) {
  EXPECT_EQ(shard_path("audio", 12, ".zst"), "shards/audio_000000012.tar.zst");
  EXPECT_EQ(manifest_path(12), "manifests/manifest_000000012.json");
  EXPECT_EQ(shard_path_pattern("audio", 1, ""), "shards/audio_000000000.tar");
  EXPECT_EQ(shard_path_pattern("audio", 64, ".gz"), "shards/audio_{000000000..000000063}.tar.gz");
}

TEST(Layout, TheShellExpandsThePatternToTheNamesOfAllShards) {
  for (const std::uint64_t shards : {1U, 2U, 11U}) {
    const std::string pattern = shard_file_pattern("audio", shards, ".gz");
    std::string names;
    for (std::uint64_t shard = 0; shard < shards; ++shard)
      names += shard_file_name("audio", shard, ".gz") + "\n";
    EXPECT_EQ(shardmill::testing::command_output("bash -c 'printf \"%s\\n\" " + pattern + "'"), names);
  }
}

TEST(Layout, APrefixIsLettersDigitsAndALittleMore) {
  for (const char* good : {"a", "audio_16k-v2", "0", "_", "a-"}) EXPECT_NO_THROW(check_prefix(good)) << good;
  for (const char* bad : {"", "-a", "a/b", "..", "a b", "a{1..2}", "é", "a\n", "$x", "a.b"}) {
    EXPECT_THROW(check_prefix(bad), UsageError) << bad;
  }
}

TEST(Layout, APathOfARecordStaysInTheFolder) {
  for (const char* good : {"a", "shards/a.tar", "a..b", "..a/b", ".hidden", "a/./b", "声"}) {
    EXPECT_NO_THROW(check_inner_path(good)) << good;
  }
  for (const char* bad : {"", "/", "/a", "..", "../a", "a/..", "a/../../b", "a\nb", "a\x7f", "a\x1b[0m"}) {
    EXPECT_THROW(check_inner_path(bad), Error) << bad;
  }
}

}  // namespace
}  // namespace shardmill::manifest
