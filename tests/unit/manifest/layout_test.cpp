#include "manifest/layout.hpp"

#include <gtest/gtest.h>

#include <string>

#include "base/error.hpp"
#include "base/hash/hash.hpp"
#include "base/io/file.hpp"
#include "support/command_output.hpp"
#include "support/temporary_folder.hpp"

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
  EXPECT_NO_THROW(check_prefix(std::string(200, 'p')));
  EXPECT_THROW(check_prefix(std::string(201, 'p')), UsageError);
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
namespace {

using shardmill::testing::TemporaryFolder;

TEST(Layout, FileNames) {
  EXPECT_EQ(shard_file_name("audio", 12, ".zst"), "audio_000000012.tar.zst");
  EXPECT_EQ(shard_file_name("audio", 1234567890, ""), "audio_1234567890.tar");
  EXPECT_EQ(manifest_file_name(0), "manifest_000000000.json");
  EXPECT_EQ(shard_file_pattern("audio", 64, ""), "audio_{000000000..000000063}.tar");
  EXPECT_EQ(shard_file_pattern("audio", 1, ".gz"), "audio_000000000.tar.gz");
}

TEST(Layout, TheBraceNotationIsBashs) {
  EXPECT_EQ(shardmill::testing::command_output("bash -c 'echo " + shard_file_pattern("a", 3, "") + "'"),
            "a_000000000.tar a_000000001.tar a_000000002.tar\n");
}

TEST(Layout, PrefixesThatWouldMakeTrouble) {
  EXPECT_NO_THROW(check_prefix("train-clean_100"));
  for (const char* prefix : {"", "-x", "a/b", "a.b", "a b", "{a}", "é", "a\n"}) {
    EXPECT_THROW(check_prefix(prefix), UsageError) << prefix;
  }
}

TEST(DataList, AbsolutePathsOneALine) {
  std::string text;
  append_list_line(text, "/data/out", "shards/a.tar");
  append_list_line(text, "/", "shards/b.tar");
  EXPECT_EQ(text, "/data/out/shards/a.tar\n/shards/b.tar\n");
  const TemporaryFolder folder;
  EXPECT_EQ(read_list(folder.write("data.list", text)),
            (std::vector<std::string>{"/data/out/shards/a.tar", "/shards/b.tar"}));
}

TEST(DataList, ARootCannotForgeLines) {
  std::string text;
  EXPECT_THROW(append_list_line(text, "/data\n/etc", "shards/a.tar"), Error);
  EXPECT_THROW(append_list_line(text, "/data", "shards/a\n.tar"), Error);
  EXPECT_EQ(text, "");
}

TEST(DataList, CutAndEmptyLinesAreErrors) {
  const TemporaryFolder folder;
  EXPECT_THROW(read_list(folder.write("l", "/a\n/b")), Error);
  EXPECT_THROW(read_list(folder.write("l", "/a\n\n")), Error);
}

TEST(Checksums, Sha256sumAcceptsThem) {
  const TemporaryFolder folder;
  std::string text;
  for (const char* name : {"a", "shards/b c.tar", "shards/ü"}) {
    folder.write(name, name);
    append_line(text, Checksum{base::sha256_hex(base::as_bytes(name)), name});
  }
  const std::string path = folder.write("SHA256SUMS", text);
  EXPECT_EQ(
      shardmill::testing::command_output("cd " + folder.path().string() + " && sha256sum -c SHA256SUMS"),
      "a: OK\nshards/b c.tar: OK\nshards/ü: OK\n");
  const auto checksums = read_checksums(path);
  ASSERT_EQ(checksums.size(), 3u);
  EXPECT_EQ(checksums[1].path, "shards/b c.tar");
  EXPECT_EQ(checksums[1].sha256, base::sha256_hex(base::as_bytes("shards/b c.tar")));
}

TEST(Checksums, EveryFlippedBitThatMattersNotIsStillRefused) {
  // A flip in the digits or the path shows when the file is hashed; every other must show when the line is
  // read.
  const TemporaryFolder folder;
  std::string text;
  append_line(text, Checksum{std::string(64, 'a'), "x"});
  for (const std::size_t position : {64u, 65u, 67u}) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string flipped = text;
      flipped[position] = static_cast<char>(flipped[position] ^ (1 << bit));
      EXPECT_THROW(read_checksums(folder.write("SHA256SUMS", flipped)), Error) << position << ' ' << bit;
    }
  }
}

TEST(Checksums, PathsThatLeadOutAreRefused) {
  const TemporaryFolder folder;
  const std::string hex(64, 'a');
  for (const char* path : {"/etc/passwd", "../x", "a/../../x", ""}) {
    EXPECT_THROW(read_checksums(folder.write("SHA256SUMS", hex + "  " + path + "\n")), Error) << path;
  }
  std::string text;
  EXPECT_THROW(append_line(text, Checksum{hex, "a\\b"}), Error);
}

}  // namespace
}  // namespace shardmill::manifest
