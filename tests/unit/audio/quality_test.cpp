#include "audio/quality.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <map>
#include <numbers>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "audio/made_audio.hpp"
#include "audio/pcm/pcm.hpp"
#include "base/io/file.hpp"

namespace shardmill::audio {

namespace {

Pcm pcm_of(const std::vector<double>& values, PcmEncoding encoding = PcmEncoding::pcm16,
           std::uint32_t rate = 16000, std::uint32_t channels = 1) {
  Pcm pcm{.encoding = encoding, .sample_rate = rate, .channels = channels, .data = {}, .clipped = 0};
  append_values(values, pcm);
  return pcm;
}

AudioQuality quality_of(const Pcm& pcm, std::string_view format = "wav/pcm16") {
  AudioQuality quality = measure_levels(pcm, format);
  measure_band(pcm, quality);
  return quality;
}

/// Harmonics from 200 Hz up to `highest_hz`, with noise as the dither of 16 bits leaves it.
std::vector<double> voice(double highest_hz, double level, double rate = 16000, std::size_t frames = 48'000) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> half(-0.5, 0.5);
  std::vector<double> values(frames);
  const double harmonics = std::floor(highest_hz / 200);
  for (std::size_t i = 0; i < frames; ++i) {
    double sum = 0;
    for (double k = 1; k <= harmonics; ++k)
      sum += std::sin(2 * std::numbers::pi * 200 * k * static_cast<double>(i) / rate + k * k) / k;
    values[i] = level * sum + (half(random) + half(random)) / 32768;
  }
  return values;
}

std::vector<double> noise(double level, std::size_t frames = 48'000) {
  std::mt19937 random(4);
  std::uniform_real_distribution<double> one(-level, level);
  std::vector<double> values(frames);
  for (double& value : values) value = one(random);
  return values;
}

TEST(Quality, CountsValuesAtFullScaleInEveryEncoding) {
  std::vector<double> values = noise(0.3, 1000);
  for (const std::size_t at : {10U, 11U, 12U, 500U}) values[at] = 1;
  values[13] = -1;
  for (const PcmEncoding encoding : {PcmEncoding::pcm8, PcmEncoding::pcm16, PcmEncoding::pcm24,
                                     PcmEncoding::pcm32, PcmEncoding::float32}) {
    EXPECT_EQ(quality_of(pcm_of(values, encoding)).clipped, 0.005) << name(encoding);
  }
  EXPECT_EQ(quality_of(pcm_of(noise(0.99, 1000))).clipped, 0);
  // Mu-law does not reach full scale.
  EXPECT_EQ(quality_of(pcm_of({32124.0 / 32768, 0, -32124.0 / 32768, 0.5}), "wav/ulaw").clipped, 0.5);
}

TEST(Quality, TellsTheOffsetOfTheWorstChannel) {
  std::vector<double> values = noise(0.1);
  for (std::size_t i = 0; i < values.size(); i += 2) {
    values[i] = 0.25;
    values[i + 1] = -0.5;
  }
  EXPECT_EQ(quality_of(pcm_of(values, PcmEncoding::pcm16, 16000, 2)).dc_offset, -0.5);
  EXPECT_NEAR(quality_of(pcm_of(values)).dc_offset, -0.125, 1e-6);
}

TEST(Quality, DigitalSilenceIsWhereNothingChanges) {
  std::vector<double> values = noise(0.1, 32'000);
  std::fill(values.begin() + 16'000, values.end(), 0);
  EXPECT_EQ(quality_of(pcm_of(values)).digital_silence, 0.5);
  std::fill(values.begin() + 16'000, values.end(), -3.0 / 32768);  // an offset is silent, too
  EXPECT_EQ(quality_of(pcm_of(values)).digital_silence, 0.5);
  // Quiet noise has many zeros, but it is not digital silence.
  EXPECT_EQ(quality_of(pcm_of(noise(1.0 / 32768))).digital_silence, 0);
  const AudioQuality zeros = quality_of(pcm_of(std::vector<double>(32'000, 0)));
  EXPECT_EQ(zeros.digital_silence, 1);
  EXPECT_TRUE(zeros.all_zero);
  EXPECT_FALSE(zeros.narrow_band);
  EXPECT_EQ(zeros.above_4khz_db, std::nullopt);
  EXPECT_FALSE(quality_of(pcm_of(std::vector<double>(32'000, 0.25))).all_zero);
}

TEST(Quality, TellsResampledTelephoneSpeechFromWideSpeechAndNoise) {
  for (const double level : {0.3, 0.03, 0.006}) {
    EXPECT_TRUE(quality_of(pcm_of(voice(3400, level))).narrow_band) << level;
    EXPECT_FALSE(quality_of(pcm_of(voice(7600, level))).narrow_band) << level;
  }
  for (const double level : {0.5, 0.01, 1e-3, 1e-4, 2.0 / 32768, 0.6 / 32768})
    EXPECT_FALSE(quality_of(pcm_of(noise(level))).narrow_band) << level;
  for (const std::uint32_t rate : {16'000U, 21'000U, 22'050U, 31'000U, 44'100U, 48'000U, 63'000U, 96'000U}) {
    EXPECT_TRUE(quality_of(pcm_of(voice(3400, 0.2, rate), PcmEncoding::pcm24, rate)).narrow_band) << rate;
    EXPECT_FALSE(quality_of(pcm_of(voice(7600, 0.2, rate), PcmEncoding::pcm24, rate)).narrow_band) << rate;
  }
  // So quiet that nobody can tell.
  EXPECT_FALSE(quality_of(pcm_of(voice(3400, 0.001))).narrow_band);
  // One sibilant in three seconds is enough.
  std::vector<double> values = voice(3400, 0.3);
  const std::vector<double> hiss = noise(0.05, 1600);
  for (std::size_t i = 0; i < hiss.size(); ++i) values[30'000 + i] += hiss[i];
  EXPECT_FALSE(quality_of(pcm_of(values)).narrow_band);
  const AudioQuality ultrasound = quality_of(pcm_of(voice(3400, 0.3, 192'000), PcmEncoding::pcm24, 192'000));
  EXPECT_EQ(ultrasound.above_4khz_db, std::nullopt);
  // At 8 kHz there is nothing to miss.
  const AudioQuality telephone = quality_of(pcm_of(voice(3400, 0.3, 8000), PcmEncoding::pcm16, 8000));
  EXPECT_EQ(telephone.above_4khz_db, std::nullopt);
  EXPECT_FALSE(telephone.narrow_band);
}

TEST(Quality, AnyLengthWillDo) {
  for (std::size_t frames = 0; frames < 700; frames += 7) quality_of(pcm_of(noise(0.1, frames)));
  for (std::uint32_t channels = 1; channels <= 64; channels *= 2)
    quality_of(pcm_of(noise(0.1, channels * 333), PcmEncoding::pcm16, 8000, channels));
  const double nan = std::nan("");
  Pcm odd{.encoding = PcmEncoding::float64, .sample_rate = 16000, .channels = 1, .data = {}, .clipped = 0};
  std::vector<double> values = noise(0.1, 4000);
  values[7] = nan;
  values[8] = 1e300;
  odd.data.resize(values.size() * sizeof(double));
  std::memcpy(odd.data.data(), values.data(), odd.data.size());
  EXPECT_EQ(quality_of(odd).clipped, 1.0 / 4000);
}

TEST(SoundHashOfPcm, IsThatOfTheValues) {
  const std::vector<double> values = noise(0.2, 30'000);
  EXPECT_NE(sound_hash(pcm_of(values)), sound_hash(pcm_of(values, PcmEncoding::pcm24)));
  std::vector<double> coarse = values;
  for (double& value : coarse) value = std::round(value * 32768) / 32768;
  EXPECT_EQ(sound_hash(pcm_of(coarse)), sound_hash(pcm_of(coarse, PcmEncoding::pcm24)));
  EXPECT_NE(sound_hash(pcm_of(coarse)), sound_hash(pcm_of(coarse, PcmEncoding::pcm16, 8000)));
  EXPECT_NE(sound_hash(pcm_of(coarse)), sound_hash(pcm_of(coarse, PcmEncoding::pcm16, 16000, 2)));
  EXPECT_EQ(sound_hash(pcm_of({})), std::nullopt);
}

}  // namespace

namespace {

TEST(SoundHash, IsThatOfTheValuesWhateverHoldsThem) {
  const testing::TemporaryFolder folder;
  std::map<std::string, std::optional<base::Xxh128>> hashes;
  // More than a block of values, so that blocks are joined, too. 16 bits also fit into 24 and into floats.
  for (const MadeAudio& made : make_audio(folder, R"(
values = (noise(1_200_000) * 32767).astype('int16')
for name, subtype in (('a16.wav', 'PCM_16'), ('a24.wav', 'PCM_24'), ('a.flac', 'PCM_16'),
                      ('a24.flac', 'PCM_24'), ('a.aiff', 'PCM_16'), ('a.w64', 'PCM_16')):
    sf.write(name, values, 16000, subtype=subtype)
sf.write('afloat.wav', values.astype('float32') / 32768, 16000, subtype='FLOAT')
sf.write('b.wav', values, 8000, subtype='PCM_16')
sf.write('c.wav', np.stack([values, values], 1), 16000, subtype='PCM_16')
sf.write('d.wav', values[:-1], 16000, subtype='PCM_16')
values[1_100_000] += 1
sf.write('e.wav', values, 16000, subtype='PCM_16')
)")) {
    const std::string bytes = content(made.file);
    hashes[made.file.substr(made.file.rfind('/') + 1)] = sound_hash(base::as_bytes(bytes));
  }
  ASSERT_TRUE(hashes.at("a16.wav").has_value());
  for (const char* same : {"a24.wav", "afloat.wav", "a.flac", "a24.flac", "a.aiff", "a.w64"})
    EXPECT_EQ(hashes.at(same), hashes.at("a16.wav")) << same;
  // Another rate, another number of channels, a value less, and one that is another.
  std::set<std::string> others;
  for (const char* other : {"a16.wav", "b.wav", "c.wav", "d.wav", "e.wav"}) {
    ASSERT_TRUE(hashes.at(other).has_value()) << other;
    others.insert(base::to_hex(hashes.at(other)->bytes));
  }
  EXPECT_EQ(others.size(), 5u);
}

TEST(SoundHash, WhatCannotBeDecodedHasNone) {
  const testing::TemporaryFolder folder;
  const auto made = make_audio(
      folder, "sf.write('empty.wav', np.zeros(0), 16000)\nsf.write('x.flac', noise(9000), 16000)\n");
  for (const std::string& bytes : {std::string(), std::string("no audio"), content(made.front().file),
                                   content(made.back().file).substr(0, 30)}) {
    EXPECT_EQ(sound_hash(base::as_bytes(bytes)), std::nullopt) << bytes.size();
  }
}

}  // namespace

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
