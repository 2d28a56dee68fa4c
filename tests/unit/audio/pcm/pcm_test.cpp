#include "audio/pcm/pcm.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <set>
#include <span>

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

}  // namespace shardmill::audio
