#include "audio/resample.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace shardmill::audio {
namespace {

std::vector<double> random_values(std::size_t count) {
  std::mt19937_64 random(7);
  std::vector<double> values(count);
  for (double& value : values) value = static_cast<double>(random() >> 11) * 0x1p-54 - 0.25;
  return values;
}

std::vector<double> resampled(const std::vector<double>& values, std::uint32_t channels, std::uint32_t from,
                              std::uint32_t to, std::size_t block_frames) {
  Resampler resampler(values.size() / channels, channels, from, to);
  std::vector<double> all;
  for (std::size_t begin = 0; begin < values.size(); begin += block_frames * channels) {
    const std::size_t end = std::min(begin + block_frames * channels, values.size());
    std::vector<double> block(values.begin() + static_cast<std::ptrdiff_t>(begin),
                              values.begin() + static_cast<std::ptrdiff_t>(end));
    resampler.process(block);
    all.insert(all.end(), block.begin(), block.end());
  }
  std::vector<double> rest;
  resampler.process(rest);
  all.insert(all.end(), rest.begin(), rest.end());
  return all;
}

TEST(Resample, BlocksMakeNoDifference) {
  for (const auto& [from, to] : {std::pair(44100U, 16000U), {8000U, 16000U}, {16000U, 48000U}}) {
    const std::vector<double> values = random_values(2 * 50'001);
    const std::vector<double> expected = resampled(values, 2, from, to, 50'001);
    for (const std::size_t block : {17U, 333U, 8192U, 40'000U}) {
      EXPECT_EQ(resampled(values, 2, from, to, block), expected) << from << " " << to << " " << block;
    }
  }
}

TEST(Resample, HasTheNearestNumberOfFrames) {
  EXPECT_EQ(resampled_frames(3, 2, 1), 2U);
  EXPECT_EQ(resampled_frames(1, 44100, 16000), 0U);
  for (const std::uint32_t from : {8000U, 11025U, 16000U, 22050U, 32000U, 44100U, 48000U, 96000U, 12347U}) {
    for (const std::uint32_t to : {8000U, 16000U, 24000U, 44100U, 48000U}) {
      for (const std::size_t frames : {1U, 2U, 100U, 4095U, 10'007U}) {
        const auto expected = static_cast<std::size_t>(static_cast<double>(frames) * to / from + 0.5);
        EXPECT_EQ(resampled_frames(frames, from, to), expected);
        if (from == to) continue;
        EXPECT_EQ(resampled(random_values(frames), 1, from, to, 4096).size(), expected);
      }
    }
  }
}

}  // namespace
}  // namespace shardmill::audio
