#include <gtest/gtest.h>

#include "archive/tar_building.hpp"
#include "check/inspection.hpp"
#include "codec/codec_files.hpp"
#include "support/silent_reporter.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::check {

namespace {

class QuickLook : public ::testing::Test {
 protected:
  DatasetReport looked_at(const std::string& bytes) {
    DatasetReport dataset;
    dataset.shards.push_back({.path = folder_.write("a", bytes), .contents = {}, .issues = {}});
    dataset.shards[0].contents.bytes = bytes.size();
    look_at(dataset, workers_, reporter_);
    return dataset;
  }

  std::string tar_ = archive::make_tar({{"a.txt", codec::testing::noise(300'000)}});
  testing::TemporaryFolder folder_;
  testing::SilentReporter reporter_;
  pipeline::Workers workers_{1, std::uint64_t{64} << 20};
};

TEST_F(QuickLook, TellsTheCodecAndAboutThePlainSize) {
  const std::pair<codec::Codec, const char*> programs[] = {{codec::Codec::none, "cat"},
                                                           {codec::Codec::gzip, "gzip -c"},
                                                           {codec::Codec::bzip2, "bzip2 -c"},
                                                           {codec::Codec::zstd, "zstd -qc"},
                                                           {codec::Codec::lz4, "lz4 -qc"}};
  for (const auto& [codec, program] : programs) {
    const DatasetReport report = looked_at(codec::testing::through(program, tar_));
    EXPECT_EQ(report.shards[0].codec, codec) << program;
    // An estimate from the compressed size alone is that rough.
    EXPECT_GT(2 * report.contents.tar_bytes, tar_.size()) << program;
    EXPECT_LT(report.contents.tar_bytes, 2 * tar_.size()) << program;
    EXPECT_FALSE(report.shards[0].issues.has(Severity::damage)) << program;
  }
}

TEST_F(QuickLook, SeesWhatWasCutWhereTheFormatShowsIt) {
  for (const char* program : {"cat", "zstd -qc", "lz4 -qc"}) {
    const std::string file = codec::testing::through(program, tar_);
    EXPECT_TRUE(looked_at(file.substr(0, file.size() / 2)).shards[0].issues.has(Severity::damage)) << program;
  }
  EXPECT_TRUE(looked_at("").shards[0].issues.has(Severity::damage));
}

TEST(CheckCodec, WhatPythonsTarfileDoesNotReadIsAHazard) {
  for (const codec::Codec codec : codec::kAllCodecs) {
    ShardReport report{.path = "a", .codec = codec, .contents = {}, .issues = {}};
    check_codec(report);
    const bool unread = codec == codec::Codec::zstd || codec == codec::Codec::lz4;
    EXPECT_EQ(report.issues.has(Severity::hazard), unread) << name(codec);
  }
}

}  // namespace

namespace {

ShardReport shard(const std::string& path,
                  std::initializer_list<std::pair<const char*, std::uint64_t>> members) {
  ShardReport report{.path = path, .contents = {}, .issues = {}};
  for (const auto& [extension, count] : members) report.contents.extensions[extension].members = count;
  return report;
}

TEST(LoaderHazards, NamesThatNemoDoesNotTake) {
  for (const char* good : {"shards/audio_0.tar", "audio_000000012.tar"}) {
    ShardReport report = shard(good, {});
    check_shard_name(report);
    EXPECT_TRUE(report.issues.all().empty()) << good;
  }
  for (const char* bad : {"speech.tar", "audio.tar", "audio_x.tar", "audio_0.zip"}) {
    ShardReport report = shard(bad, {});
    check_shard_name(report);
    EXPECT_EQ(report.issues.all().count(issue::kShardName), 1u) << bad;
  }
}

TEST(LoaderHazards, TextMembersCountOnlyBesideAudio) {
  ShardReport report = shard("a", {{"txt", 7}, {"wav", 7}});
  check_text_members(report);
  EXPECT_TRUE(report.issues.all().empty());  // no audio could be read
  report.contents.add(AudioInfo{.format = "wav/pcm16", .sample_rate = 16000, .channels = 1, .frames = 1});
  check_text_members(report);
  EXPECT_EQ(report.issues.all().at(issue::kTextMembers).count, 7u);
}

TEST(LoaderHazards, TheContainersThatFewerMembersHaveAreOdd) {
  DatasetReport dataset;
  dataset.shards.push_back(shard("a", {{"wav", 10}, {"txt", 10}}));
  check_containers(dataset);
  EXPECT_TRUE(dataset.issues.all().empty());
  dataset.shards.push_back(shard("b", {{"wav", 1}, {"flac", 4}, {"json", 90}}));
  dataset.shards.push_back(shard("c", {{"flac", 3}}));
  check_containers(dataset);
  const Issue& issue = dataset.issues.all().at(issue::kMixedContainers);
  EXPECT_EQ(issue.count, 7u);
  EXPECT_EQ(issue.shards, 2u);
  EXPECT_EQ(issue.first.front().what, "flac");
}

}  // namespace

}  // namespace shardmill::check
