#include "audio/flac/frames.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "audio/flac.hpp"
#include "audio/made_pcm.hpp"

namespace shardmill::audio {
namespace {

ProbeVerdict verdict(const Bytes& audio) {
  return probe_flac(ByteView(audio)).verdict;
}

/// Behind the blocks of metadata.
std::size_t first_frame(const Bytes& audio) {
  const ByteView view(audio);
  std::size_t at = 4;
  for (bool is_last = false; !is_last;) {
    is_last = (view.u8(at) & 0x80) != 0;
    at += 4 + view.be24(at + 1);
  }
  return at;
}

TEST(FlacFrames, WholeOnesOfManyLengths) {
  for (const std::uint64_t frames : {1U, 15U, 16U, 4095U, 4096U, 4097U, 300'000U}) {
    EXPECT_EQ(verdict(made_flac(frames)), ProbeVerdict::good) << frames;
    EXPECT_EQ(verdict(made_flac(frames, 2)), ProbeVerdict::good) << frames;
    EXPECT_EQ(flac_damage(ByteView(made_flac(frames, 8))), "") << frames;
  }
}

TEST(FlacFrames, EveryFlippedBitIsFound) {
  const Bytes whole = made_flac(20'000);
  for (std::size_t at = first_frame(whole); at < whole.size(); at += 17) {
    Bytes damaged = whole;
    damaged[at] ^= std::byte{0x10};
    EXPECT_NE(verdict(damaged), ProbeVerdict::good) << at;
  }
}

TEST(FlacFrames, ZeroedBytesAreFound) {
  const Bytes whole = made_flac(60'000);
  ASSERT_GT(whole.size(), 20'000u);
  for (const std::size_t count : {2U, 100U, 4096U, 12'000U}) {
    Bytes damaged = whole;
    std::fill_n(damaged.begin() + 5000, count, std::byte{0});
    const ProbeResult probed = probe_flac(ByteView(damaged));
    EXPECT_EQ(probed.verdict, ProbeVerdict::damaged) << count;
    EXPECT_TRUE(probed.text.starts_with("the FLAC frame at byte ")) << probed.text;
    EXPECT_NE(decode_flac(damaged).damage, "");
  }
}

TEST(FlacFrames, AFrameThatIsGoneIsFound) {
  const Bytes whole = made_flac(60'000);
  const ByteView view(whole);
  const FlacStreamInfo stream = read_flac_stream_info(view.from(8));
  std::vector<std::size_t> frames;
  for (std::size_t at = first_frame(whole); at < whole.size(); ++at) {
    if (flac_frame_at(view, at, stream)) frames.push_back(at);
  }
  ASSERT_GT(frames.size(), 10u);
  Bytes damaged = whole;
  damaged.erase(damaged.begin() + static_cast<std::ptrdiff_t>(frames[4]),
                damaged.begin() + static_cast<std::ptrdiff_t>(frames[5]));
  EXPECT_EQ(verdict(damaged), ProbeVerdict::damaged);
  EXPECT_EQ(find_damaged_frame(ByteView(damaged), frames[0], stream, false), frames[3]);
}

TEST(FlacFrames, WhatFollowsTheLastFrameIsNoDamageToIt) {
  Bytes tailed = made_flac(20'000);
  const std::size_t whole = tailed.size();
  const std::size_t first = first_frame(tailed);
  tailed.insert(tailed.end(), 40, std::byte{'x'});
  const FlacStreamInfo stream = read_flac_stream_info(ByteView(tailed).from(8));
  EXPECT_EQ(find_damaged_frame(ByteView(tailed), first, stream, true), std::nullopt);
  EXPECT_NE(find_damaged_frame(ByteView(tailed), first, stream, false), std::nullopt);
  tailed[whole / 2] ^= std::byte{1};
  EXPECT_NE(find_damaged_frame(ByteView(tailed), first, stream, true), std::nullopt);
}

}  // namespace
}  // namespace shardmill::audio
