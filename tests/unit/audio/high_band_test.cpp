#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "audio/quality.hpp"

namespace shardmill::audio {
namespace {

using Values = std::vector<std::int16_t>;

/// Twenty seconds of sines: each as Hz and amplitude. Only one place in some milliseconds is looked at, so
/// their periods must not divide those.
Values sines(std::uint32_t rate, const std::vector<std::pair<double, double>>& parts) {
  Values values(20 * rate);
  for (std::size_t i = 0; i < values.size(); ++i) {
    double sum = 0;
    for (const auto& [hz, amplitude] : parts)
      sum += amplitude * std::sin(2 * std::numbers::pi * hz * static_cast<double>(i) / rate);
    values[i] = static_cast<std::int16_t>(std::lround(sum));
  }
  return values;
}

BandEnergy energy_of(const Values& values, std::uint32_t rate, std::uint32_t channels = 1) {
  return band_energy(std::span<const std::int16_t>(values), channels, rate, 1.0F);
}

TEST(HighBand, TonesCountOnTheirSideOfFourKilohertz) {
  for (const std::uint32_t rate : {16'000U, 22'050U, 44'100U, 48'000U, 96'000U}) {
    // Half of the square of its amplitude is the energy of a sine.
    const BandEnergy low = energy_of(sines(rate, {{1013.7, 8000}}), rate);
    EXPECT_NEAR(low.low, 32e6, 5e6) << rate;
    EXPECT_LT(low.high, 1) << rate;
    EXPECT_TRUE(low.is_narrow()) << rate;
    const BandEnergy high = energy_of(sines(rate, {{6543.2, 8000}}), rate);
    EXPECT_NEAR(high.high, 32e6, 5e6) << rate;
    EXPECT_FALSE(high.is_narrow()) << rate;
  }
}

TEST(HighBand, TheRatioIsInDecibels) {
  const auto db = energy_of(sines(16'000, {{713.3, 8000}, {6061.9, 80}}), 16'000).above_4khz_db();
  ASSERT_TRUE(db);
  EXPECT_NEAR(*db, -40, 1);
  EXPECT_EQ(std::round(*db * 10), *db * 10) << "in tenths";
}

TEST(HighBand, SpeechWithSomethingAboveIsNotNarrow) {
  EXPECT_FALSE(energy_of(sines(16'000, {{713.3, 8000}, {5561.7, 60}}), 16'000).is_narrow());
  EXPECT_TRUE(energy_of(sines(16'000, {{713.3, 8000}, {3011.9, 500}}), 16'000).is_narrow());
}

TEST(HighBand, NothingToHearHasNoRatio) {
  const BandEnergy silence = energy_of(Values(32'000, 0), 16'000);
  EXPECT_FALSE(silence.above_4khz_db());
  EXPECT_FALSE(silence.is_narrow());
  // A constant is no sound.
  const BandEnergy constant = energy_of(Values(32'000, 5000), 16'000);
  EXPECT_LT(constant.low, 25) << "a millionth of its square";
  EXPECT_FALSE(constant.is_narrow());
}

TEST(HighBand, OfQuietSpeechNobodyCanTell) {
  EXPECT_FALSE(energy_of(sines(16'000, {{713.3, 3}}), 16'000).is_narrow());
}

TEST(HighBand, AudioShorterThanTheFilterIsNotMeasured) {
  const BandEnergy energy = energy_of(Values(20, 1000), 16'000);
  EXPECT_EQ(energy.low, 0);
  EXPECT_EQ(energy.high, 0);
  EXPECT_FALSE(energy_of({}, 16'000).above_4khz_db());
}

TEST(HighBand, AllChannelsCount) {
  const Values low = sines(16'000, {{1013.7, 8000}});
  const Values high = sines(16'000, {{6543.2, 8000}});
  Values both;
  for (std::size_t i = 0; i < low.size(); ++i) both.insert(both.end(), {low[i], high[i]});
  const BandEnergy energy = energy_of(both, 16'000, 2);
  EXPECT_NEAR(energy.high, 16e6, 3e6);
  EXPECT_NEAR(energy.low, 16e6, 3e6);
}

TEST(HighBand, ScaleBringsValuesToSixteenBits) {
  const Values values = sines(16'000, {{1013.7, 8000}, {6061.9, 800}});
  std::vector<std::int32_t> wide;
  for (const std::int16_t value : values) wide.push_back(value * 65'536);
  const BandEnergy energy = energy_of(values, 16'000);
  const BandEnergy scaled = band_energy(std::span<const std::int32_t>(wide), 1, 16'000, 1.0F / 65'536);
  EXPECT_EQ(scaled.high, energy.high);
  EXPECT_EQ(scaled.low, energy.low);
}

}  // namespace
}  // namespace shardmill::audio
