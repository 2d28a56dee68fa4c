#include <gtest/gtest.h>

#include <random>
#include <string>

#include "audio/sndfile.hpp"
#include "audio/wav.hpp"

namespace shardmill::audio {
namespace {

std::string number(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text.push_back(static_cast<char>(value >> (8 * i)));
  return text;
}

std::string wav(unsigned channels, unsigned frames, const std::string& list = "") {
  std::mt19937 random(channels * 1000 + frames);
  std::string data;
  for (unsigned i = 0; i < channels * frames; ++i) data += number(random(), 2);
  const std::string format = "fmt " + number(16, 4) + number(1, 2) + number(channels, 2) + number(16000, 4) +
                             number(16000 * 2 * channels, 4) + number(2 * channels, 2) + number(16, 2);
  const std::string body = "WAVE" + format + list + "data" + number(data.size(), 4) + data;
  return "RIFF" + number(body.size(), 4) + body;
}

std::optional<FloatAudio> quick(const std::string& text) {
  return wav_floats(std::as_bytes(std::span(text)));
}

void expect_like_the_library(const std::string& text) {
  const auto sound = quick(text);
  if (!sound) return;
  const auto expected = sndfile_floats(std::as_bytes(std::span(text)));
  ASSERT_TRUE(expected);
  EXPECT_EQ(expected->damage, "");
  EXPECT_EQ(sound->sample_rate, expected->sample_rate);
  EXPECT_EQ(sound->channels, expected->channels);
  EXPECT_EQ(sound->values, expected->values);
}

TEST(WavFloats, ValuesAreThoseOfTheLibrary) {
  for (const unsigned channels : {1u, 2u, 3u}) {
    for (const unsigned frames : {1u, 7u, 4000u}) {
      for (const std::string& list : {std::string(), "LIST" + number(4, 4) + "INFO"}) {
        EXPECT_TRUE(quick(wav(channels, frames, list)));
        expect_like_the_library(wav(channels, frames, list));
      }
    }
  }
}

TEST(WavFloats, WhateverIsOddIsLeftToTheLibrary) {
  const std::string good = wav(2, 50);
  for (std::size_t size = 0; size < good.size(); ++size) EXPECT_FALSE(quick(good.substr(0, size))) << size;
  EXPECT_FALSE(quick(good + "x"));
  EXPECT_FALSE(quick(wav(1, 0)));
  std::mt19937 random(7);
  for (int round = 0; round < 20000; ++round) {
    std::string changed = good;
    for (auto flips = 1 + random() % 3; flips > 0; --flips)
      changed[random() % 60] ^= static_cast<char>(1U << (random() % 8));
    expect_like_the_library(changed);
    if (::testing::Test::HasFailure()) break;
  }
}

}  // namespace
}  // namespace shardmill::audio
