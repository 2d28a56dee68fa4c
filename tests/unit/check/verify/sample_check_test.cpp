#include "check/verify/sample_check.hpp"

#include <gtest/gtest.h>

#include "audio/flac.hpp"
#include "base/io/file.hpp"
#include "support/made_dataset.hpp"

namespace shardmill::check {
namespace {

constexpr std::uint32_t kFrames = 8000;

class SampleCheckTest : public ::testing::Test {
 protected:
  static Bytes flac(bool silent = false) {
    const std::string wav = testing::made_wav(kFrames);
    audio::Pcm pcm{.encoding = audio::PcmEncoding::pcm16, .sample_rate = 16000, .channels = 1, .data = {}};
    const auto values = base::as_bytes(wav).subspan(44);
    pcm.data.assign(values.begin(), values.end());
    if (silent) std::fill(pcm.data.begin(), pcm.data.end(), std::byte{0});
    return audio::encode_flac(pcm);
  }

  static manifest::SampleRecord record_of(const std::string& format, std::uint64_t frames) {
    manifest::SampleRecord record;
    record.audio = {.format = format, .sample_rate = 16000, .channels = 1, .frames = frames};
    return record;
  }

  std::vector<Finding> checked(Bytes audio, std::uint64_t frames = kFrames,
                               const std::string& format = "flac/pcm16",
                               AudioDepth depth = AudioDepth::values) {
    FindingList list;
    SampleCheck check(depth, workers_, list);
    check.take({.shard = "a.tar", .member = "k.flac", .tar_offset = 512}, record_of(format, frames),
               std::move(audio));
    check.flush();
    return list.take();
  }

  pipeline::Workers workers_{2, std::uint64_t{64} << 20};
};

TEST_F(SampleCheckTest, GoodAudioIsGood) {
  EXPECT_TRUE(checked(flac()).empty());
}

TEST_F(SampleCheckTest, AnotherNumberOfFramesIsAFindingAtItsPlace) {
  const auto found = checked(flac(), kFrames + 1);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].where.member, "k.flac");
  EXPECT_EQ(found[0].tar_offset, 512u);
}

TEST_F(SampleCheckTest, AFlippedBitInAnyFrameIsFound) {
  const Bytes good = flac();
  std::size_t first_frame = 4;
  while (good[first_frame] != std::byte{0xff} || good[first_frame + 1] != std::byte{0xf8}) ++first_frame;
  for (std::size_t at = first_frame; at < good.size(); at += good.size() / 40) {
    Bytes bad = good;
    bad[at] ^= std::byte{1};
    EXPECT_FALSE(checked(bad).empty()) << at;
    EXPECT_EQ(checked(bad, kFrames, "flac/pcm16", AudioDepth::frames).size(), 1u) << at;
    EXPECT_TRUE(checked(bad, kFrames, "flac/pcm16", AudioDepth::headers).empty()) << at;
  }
}

TEST_F(SampleCheckTest, SilenceIsANote) {
  const auto found = checked(flac(true));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].severity, Finding::Severity::note);
}

TEST_F(SampleCheckTest, AudioThatReadersDoNotSeeIsAFindingAndOtherBytesAreANote) {
  const std::string made = testing::made_wav(kFrames);
  const auto checked_wav = [this](const std::string& text) {
    const auto bytes = base::as_bytes(text);
    return checked(Bytes(bytes.begin(), bytes.end()), kFrames, "wav/pcm16");
  };
  EXPECT_TRUE(checked_wav(made).empty());
  std::string lying = made;
  lying.replace(40, 4, std::string("\x40\x1f\0\0", 4));  // half of its audio
  const auto found = checked_wav(lying);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].severity, Finding::Severity::finding);
  EXPECT_EQ(found[0].what, "its header leaves out 8,000 bytes of audio, which most readers lose");
  const auto noted = checked_wav(made + "something else");
  ASSERT_EQ(noted.size(), 1u);
  EXPECT_EQ(noted[0].severity, Finding::Severity::note);
  EXPECT_EQ(noted[0].what, "has 14 bytes after the end that its header gives");
}

TEST_F(SampleCheckTest, OfManyEachIsCheckedOnce) {
  FindingList list;
  SampleCheck check(AudioDepth::values, workers_, list);
  for (std::uint64_t i = 0; i < 100; ++i) {
    check.take({.shard = "a.tar", .member = std::to_string(i), .tar_offset = i},
               record_of("flac/pcm16", kFrames + i % 2), flac());
  }
  check.flush();
  check.flush();
  EXPECT_EQ(list.take().size(), 50u);
}

TEST(SeverityTest, WhatOthersPutIntoTheirShardsIsDamageInOurs) {
  using enum Finding::Severity;
  for (const ShardProblem odd : {ShardProblem::directory, ShardProblem::odd_name, ShardProblem::no_key}) {
    EXPECT_EQ(severity_of(odd, ShardOf::dataset), finding);
    EXPECT_EQ(severity_of(odd, ShardOf::others), note);
  }
  for (const ShardOf whose : {ShardOf::dataset, ShardOf::others}) {
    EXPECT_EQ(severity_of(ShardProblem::resumed, whose), note);
    EXPECT_EQ(severity_of(ShardProblem::link, whose), finding);
    EXPECT_EQ(severity_of(ShardProblem::truncated, whose), finding);
  }
}

}  // namespace
}  // namespace shardmill::check
