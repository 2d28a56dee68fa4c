#include "pipeline/pack_shards.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "base/hash/hash.hpp"
#include "base/io/file.hpp"
#include "support/command_output.hpp"
#include "support/silent_reporter.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::pipeline {
namespace {

class PackShards : public ::testing::Test {
 protected:
  static constexpr std::uint32_t kShards = 3;

  static std::string content(std::uint32_t shard) {
    std::string text;
    for (std::uint32_t i = 0; i < 2000 * (shard + 1); ++i) text += std::to_string(i * i % 997) + "\n";
    return text;
  }
  void fill(SpoolSet& spools) {
    for (std::uint32_t shard = 0; shard < kShards; ++shard) {
      const std::string text = content(shard);
      const auto bytes = base::as_bytes(text);
      spools.append(shard, spools.reserve(shard, bytes.size()), Bytes(bytes.begin(), bytes.end()), "line\n",
                    {});
    }
    spools.sync();
  }
  static std::string file_sha256(const std::string& path) {
    const std::string bytes = base::read_text(path);
    return base::sha256_hex(base::as_bytes(bytes));
  }

  testing::TemporaryFolder folder_;
  testing::SilentReporter reporter_;
  Workers workers_{2, 64 << 20};
};

TEST_F(PackShards, PlainShardsStayWhereTheyAre) {
  SpoolSet spools(folder_.path().string(), kShards, true, workers_);
  fill(spools);
  const auto packed = pack_shards(spools, {.codec = codec::Codec::none}, workers_, reporter_);
  ASSERT_EQ(packed.size(), kShards);
  for (std::uint32_t shard = 0; shard < kShards; ++shard) {
    EXPECT_EQ(packed[shard].path, spools.tar_path(shard));
    EXPECT_EQ(packed[shard].bytes, content(shard).size());
    EXPECT_EQ(packed[shard].sha256, file_sha256(packed[shard].path));
  }
}

TEST_F(PackShards, CompressedShardsHoldTheSameBytes) {
  SpoolSet spools(folder_.path().string(), kShards, false, workers_);
  fill(spools);
  const auto packed = pack_shards(spools, {.codec = codec::Codec::zstd, .level = 3}, workers_, reporter_);
  for (std::uint32_t shard = 0; shard < kShards; ++shard) {
    EXPECT_EQ(packed[shard].bytes, std::filesystem::file_size(packed[shard].path));
    EXPECT_LT(packed[shard].bytes, content(shard).size());
    EXPECT_EQ(packed[shard].sha256, file_sha256(packed[shard].path));
    EXPECT_EQ(testing::command_output("zstd -dc < " + packed[shard].path), content(shard));
  }
}

TEST_F(PackShards, WhatAnEarlierRunPackedIsNotPackedAgain) {
  SpoolSet spools(folder_.path().string(), kShards, false, workers_);
  fill(spools);
  const codec::EncoderOptions format{.codec = codec::Codec::zstd, .level = 3};
  const auto first = pack_shards(spools, format, workers_, reporter_);
  const auto written = std::filesystem::last_write_time(first[1].path);
  const auto again = pack_shards(spools, format, workers_, reporter_);
  for (std::uint32_t shard = 0; shard < kShards; ++shard) {
    EXPECT_EQ(again[shard].sha256, first[shard].sha256);
    EXPECT_EQ(again[shard].bytes, first[shard].bytes);
  }
  EXPECT_EQ(std::filesystem::last_write_time(again[1].path), written);
}

TEST_F(PackShards, AFlippedBitOfASpoolIsAnError) {
  SpoolSet spools(folder_.path().string(), kShards, false, workers_);
  fill(spools);
  const std::string tar = spools.tar_path(2);
  std::string bytes = base::read_text(tar);
  bytes[1000] = static_cast<char>(bytes[1000] ^ 1);
  base::File file = base::File::create(tar);
  file.write(base::as_bytes(bytes));
  file.close();
  EXPECT_THROW(pack_shards(spools, {.codec = codec::Codec::zstd, .level = 3}, workers_, reporter_), Error);
}

TEST_F(PackShards, TheProgressReachesItsTotal) {
  SpoolSet spools(folder_.path().string(), kShards, false, workers_);
  fill(spools);
  pack_shards(spools, {.codec = codec::Codec::zstd, .level = 3}, workers_, reporter_);
  EXPECT_GT(reporter_.progress().input_bytes_total.load(), 0U);
  EXPECT_EQ(reporter_.progress().input_bytes.load(), reporter_.progress().input_bytes_total.load());
}

}  // namespace
}  // namespace shardmill::pipeline
