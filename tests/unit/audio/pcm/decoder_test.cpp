#include "audio/pcm/decoder.hpp"

#include <gtest/gtest.h>

#include "audio/flac.hpp"
#include "audio/made_pcm.hpp"
#include "audio/wav_writer.hpp"
#include "base/error.hpp"

namespace shardmill::audio {
namespace {

Bytes all_of(PcmDecoder& decoder, std::uint64_t step) {
  Pcm pcm = decoder.empty_pcm();
  for (;;) {
    const std::uint64_t before = pcm.frames();
    decoder.read(step, pcm);
    if (pcm.frames() == before) break;
  }
  return pcm.data;
}

TEST(PcmDecoder, ValuesComeOutBitByBitInStepsOfAnySize) {
  for (int i = 0; i <= static_cast<int>(PcmEncoding::float64); ++i) {
    const auto encoding = static_cast<PcmEncoding>(i);
    const Pcm pcm = made_pcm(encoding, 2, 5001);
    const Bytes wav = encode_wav(pcm);
    for (const std::uint64_t step : {1U, 100U, 4096U, 100'000U}) {
      PcmDecoder decoder{std::span<const std::byte>(wav)};
      EXPECT_EQ(decoder.empty_pcm().encoding, encoding);
      EXPECT_TRUE(all_of(decoder, step) == pcm.data) << name(encoding) << " " << step;
      EXPECT_EQ(decoder.position(), 5001u);
      EXPECT_EQ(decoder.damage(), "");
    }
  }
}

TEST(PcmDecoder, SkippingLeavesOutJustThat) {
  const Pcm pcm = made_pcm(PcmEncoding::pcm16, 1, 30'000);
  for (const Bytes& encoded : {encode_wav(pcm), encode_flac(pcm)}) {
    PcmDecoder decoder{std::span<const std::byte>(encoded)};
    std::mt19937 random(4);
    for (int round = 0; round < 20; ++round) {
      const std::uint64_t skipped = random() % 20'000;
      const std::uint64_t wanted = random() % 9'000;
      decoder.rewind();
      decoder.skip(skipped);
      EXPECT_EQ(decoder.position(), skipped);
      Pcm got = decoder.empty_pcm();
      decoder.read(wanted, got);
      ASSERT_EQ(got.frames(), wanted);
      EXPECT_TRUE(std::equal(got.data.begin(), got.data.end(),
                             pcm.data.begin() + static_cast<std::ptrdiff_t>(2 * skipped)));
    }
  }
}

TEST(PcmDecoder, GivesWhatStandsBeforeDamageAndTellsOfIt) {
  const Pcm pcm = made_pcm(PcmEncoding::pcm16, 1, 50'000);
  Bytes flac = encode_flac(pcm);
  flac[flac.size() / 2] ^= std::byte{1};
  PcmDecoder decoder{std::span<const std::byte>(flac)};
  const Bytes got = all_of(decoder, 1000);
  EXPECT_NE(decoder.damage(), "");
  EXPECT_GT(got.size(), 20'000u);
  EXPECT_TRUE(std::equal(got.begin(), got.begin() + 20'000, pcm.data.begin()));
}

TEST(PcmDecoder, WhatIsNoAudioIsAnError) {
  const std::string text(1000, 'x');
  EXPECT_THROW(PcmDecoder{std::as_bytes(std::span(text))}, Error);
}

}  // namespace
}  // namespace shardmill::audio
