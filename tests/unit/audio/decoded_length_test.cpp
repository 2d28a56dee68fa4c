#include "audio/decoded_length.hpp"

#include <gtest/gtest.h>

namespace shardmill::audio {
namespace {

AudioInfo info(const char* format, std::uint32_t rate) {
  return {.format = format, .sample_rate = rate, .channels = 1, .frames = 100'000};
}

TEST(DecodedLength, IsExactWhereNothingIsLost) {
  for (const char* format : {"wav/pcm16", "flac/pcm16", "wav/ulaw"}) {
    EXPECT_TRUE(is_whole(info(format, 16'000), 100'000));
    EXPECT_FALSE(is_whole(info(format, 16'000), 99'999));
    EXPECT_FALSE(is_whole(info(format, 16'000), 100'001));
  }
}

TEST(DecodedLength, LossyAudioMayDifferByItsPadding) {
  for (const char* format : {"mp3", "ogg/vorbis", "ogg/opus"}) {
    for (const std::uint32_t rate : {8'000U, 16'000U, 44'100U, 48'000U}) {
      EXPECT_TRUE(is_whole(info(format, rate), 100'000 - rate / 20));
      EXPECT_TRUE(is_whole(info(format, rate), 100'000 + rate / 20));
      EXPECT_FALSE(is_whole(info(format, rate), 100'000 - rate / 2));
      EXPECT_FALSE(is_whole(info(format, rate), 100'000 + rate / 2));
    }
  }
}

}  // namespace
}  // namespace shardmill::audio
