#include "commands/convert.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/error.hpp"
#include "codec/codec_files.hpp"
#include "support/made_dataset.hpp"

namespace shardmill::commands {
namespace {

using convert::ConvertedShard;
using convert::ConvertOptions;
using convert::ConvertSummary;

class ConvertTest : public ::testing::Test {
 protected:
  ConvertOptions options(codec::Codec codec) const {
    ConvertOptions made;
    made.shards = {source_};
    made.out_folder = folder_.file("out");
    made.codec = codec;
    return made;
  }
  ConvertSummary run(const ConvertOptions& options) { return run_convert(options, workers_, reporter_); }

  testing::TemporaryFolder folder_;
  std::string tar_ = codec::testing::text_like(200'000);
  std::string source_ = folder_.write("a.tar.bz2", codec::testing::through("bzip2 -c", tar_));
  testing::SilentReporter reporter_;
  pipeline::Workers workers_{1, std::uint64_t{256} << 20};
};

TEST_F(ConvertTest, TheTarInsideStaysTheSame) {
  const std::pair<codec::Codec, const char*> programs[] = {{codec::Codec::none, "cat"},
                                                           {codec::Codec::gzip, "gzip -dc"},
                                                           {codec::Codec::zstd, "zstd -dqc"},
                                                           {codec::Codec::lz4, "lz4 -dqc"}};
  for (const auto& [codec, program] : programs) {
    const ConvertSummary summary = run(options(codec));
    ASSERT_EQ(summary.count(ConvertedShard::Outcome::converted), 1u);
    const ConvertedShard& shard = summary.shards[0];
    EXPECT_EQ(shard.result, folder_.file("out/a.tar") + std::string(suffix(codec)));
    EXPECT_EQ(shard.plain_bytes, tar_.size());
    EXPECT_TRUE(codec::testing::through(program, base::read_text(shard.result)) == tar_) << program;
  }
}

TEST_F(ConvertTest, WhatIsUpToDateIsLeftUntilItsSourceChanges) {
  run(options(codec::Codec::zstd));
  EXPECT_EQ(run(options(codec::Codec::zstd)).count(ConvertedShard::Outcome::up_to_date), 1u);
  ConvertOptions other = options(codec::Codec::zstd);
  other.level = 7;
  EXPECT_EQ(run(other).count(ConvertedShard::Outcome::converted), 1u);
  folder_.write("a.tar.bz2", codec::testing::through("bzip2 -c", tar_ + "more"));
  EXPECT_EQ(run(other).count(ConvertedShard::Outcome::converted), 1u);
  other.force = true;
  EXPECT_EQ(run(other).count(ConvertedShard::Outcome::converted), 1u);
}

TEST_F(ConvertTest, ADamagedShardLeavesNothingAndStopsNoOther) {
  ConvertOptions both = options(codec::Codec::zstd);
  const std::string whole = base::read_text(source_);
  both.shards.insert(both.shards.begin(), folder_.write("cut.tar.bz2", whole.substr(0, whole.size() / 2)));
  const ConvertSummary summary = run(both);
  EXPECT_EQ(summary.shards[0].outcome, ConvertedShard::Outcome::failed);
  EXPECT_NE(summary.shards[0].problem, "");
  EXPECT_FALSE(std::filesystem::exists(folder_.file("out/cut.tar.zst")));
  EXPECT_EQ(summary.shards[1].outcome, ConvertedShard::Outcome::converted);
}

TEST_F(ConvertTest, TwoResultsOfOneNameAreRefusedBeforeAnythingIsDone) {
  ConvertOptions twice = options(codec::Codec::zstd);
  twice.shards.push_back(folder_.write("other/a.tar", tar_));
  EXPECT_THROW(run(twice), UsageError);
  EXPECT_FALSE(std::filesystem::exists(folder_.file("out/a.tar.zst")));
}

}  // namespace
}  // namespace shardmill::commands
