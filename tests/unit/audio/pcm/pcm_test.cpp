#include "audio/pcm/pcm.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <set>
#include <span>

#include "audio/flac.hpp"
#include "audio/made_pcm.hpp"
#include "audio/wav.hpp"
#include "base/error.hpp"

namespace shardmill::audio {

namespace {

TEST(Pcm, NamesSayHowWideValuesAre) {
  std::set<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(PcmEncoding::float64); ++i) {
    const auto encoding = static_cast<PcmEncoding>(i);
    const std::string_view encoding_name = name(encoding);
    EXPECT_TRUE(names.insert(encoding_name).second);
    EXPECT_EQ(is_float(encoding), encoding_name.starts_with("float"));
    const std::size_t bits =
        std::stoul(std::string(encoding_name.substr(encoding_name.find_first_of("0123456789"))));
    EXPECT_EQ(8 * value_bytes(encoding), bits) << encoding_name;
  }
}

TEST(Pcm, AFrameHasAValueOfEachChannel) {
  const Pcm pcm{.encoding = PcmEncoding::pcm24, .sample_rate = 1, .channels = 5, .data = Bytes(45)};
  EXPECT_EQ(pcm.frame_bytes(), 15u);
  EXPECT_EQ(pcm.frames(), 3u);
}

}  // namespace

namespace {

using enum PcmEncoding;

std::vector<double> values_of(const Pcm& pcm) {
  std::vector<double> values{1, 2, 3};
  read_values(pcm.data, pcm.encoding, values);
  return values;
}

Pcm pcm_of(const std::vector<double>& values, PcmEncoding encoding) {
  Pcm pcm{.encoding = encoding, .sample_rate = 8000, .channels = 1, .data = {}, .clipped = 0};
  const std::span<const double> all(values);
  append_values(all.first(all.size() / 2), pcm);
  append_values(all.subspan(all.size() / 2), pcm);
  return pcm;
}

std::vector<double> mixed_to_mono(std::vector<double> values, std::uint32_t channels) {
  mix_to_mono(values, channels);
  return values;
}

Pcm random_pcm(PcmEncoding encoding) {
  Pcm pcm{.encoding = encoding, .sample_rate = 8000, .channels = 1, .data = {}, .clipped = 0};
  std::uint64_t state = 1;
  for (std::size_t i = 0; i < 24 * 4096; ++i) {
    state = state * 6364136223846793005 + 1442695040888963407;
    pcm.data.push_back(static_cast<std::byte>(state >> 56));
  }
  return pcm;
}

TEST(PcmValues, IntegersComeBackAsTheyWere) {
  for (const PcmEncoding encoding : {pcm8, pcm16, pcm24, pcm32}) {
    const Pcm pcm = random_pcm(encoding);
    const std::vector<double> values = values_of(pcm);
    for (const double value : values) ASSERT_TRUE(value >= -1 && value < 1);
    const Pcm back = pcm_of(values, encoding);
    EXPECT_EQ(back.data, pcm.data);
    EXPECT_EQ(back.clipped, 0U);
  }
}

TEST(PcmValues, FloatsComeBackAsTheyWere) {
  const std::vector<double> values{0.0, -0.0, 1.0, -1.0, static_cast<double>(0.1F), 1e30, 1e-40};
  EXPECT_EQ(values_of(pcm_of(values, float64)), values);
  EXPECT_EQ(values_of(pcm_of(std::vector<double>{0.5, -3.25}, float32)), (std::vector<double>{0.5, -3.25}));
}

TEST(PcmValues, RoundsToNearestAndCountsWhatIsClipped) {
  const double step = 1.0 / 32768;
  const std::vector<double> values{0.4 * step, 0.6 * step, -0.6 * step, 1.5 * step, 2.5 * step, 0.5,
                                   -1.0,       1 - step,   1.0,         -1.1,       1e9,        -1e300};
  const Pcm pcm = pcm_of(values, pcm16);
  std::vector<std::int16_t> integers(values.size());
  std::memcpy(integers.data(), pcm.data.data(), pcm.data.size());
  EXPECT_EQ(integers,
            (std::vector<std::int16_t>{0, 1, -1, 2, 2, 16384, -32768, 32767, 32767, -32768, 32767, -32768}));
  EXPECT_EQ(pcm.clipped, 4U);
}

TEST(PcmValues, RoundingAgreesWithTheLibrary) {
  std::uint64_t clipped = 0;
  for (double value = -40'000; value < 40'000; value += 0.124999) {
    const double expected = std::clamp(std::nearbyint(value), -32768.0, 32767.0);
    ASSERT_EQ(round_into(value, {.lowest = -32768, .highest = 32767}, clipped), expected) << value;
  }
  EXPECT_GT(clipped, 100'000U);
}

TEST(PcmValues, WhatIsNoNumberIsAnError) {
  for (const double value :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    EXPECT_THROW(pcm_of(std::vector<double>{0, value, 0}, pcm16), Error);
    EXPECT_THROW(pcm_of(std::vector<double>{0, -value, 0}, float32), Error);
  }
}

TEST(PcmValues, MonoIsTheMean) {
  EXPECT_EQ(mixed_to_mono(std::vector<double>{0.5, 0.25, -1, 1, 1, 1}, 2),
            (std::vector<double>{0.375, 0, 1}));
  EXPECT_EQ(mixed_to_mono(std::vector<double>{0.5, 0.25, -1.5, 1, 1, 1}, 3), (std::vector<double>{-0.25, 1}));
}

}  // namespace

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
