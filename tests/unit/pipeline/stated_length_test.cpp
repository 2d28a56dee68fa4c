#include "pipeline/stated_length.hpp"

#include <gtest/gtest.h>

#include "audio/probe.hpp"
#include "base/io/file.hpp"
#include "support/bytes.hpp"
#include "support/made_wav.hpp"

namespace shardmill::pipeline {
namespace {

LengthMatch match(double seconds, double audio_seconds) {
  const AudioInfo info{.format = "wav/pcm16",
                       .sample_rate = 16000,
                       .channels = 1,
                       .frames = static_cast<std::uint64_t>(audio_seconds * 16000)};
  return match_length(seconds, info);
}

TEST(StatedLength, RoundedDurationsAreTheSameAsTheAudio) {
  for (const double seconds : {3.1234, 3.123, 3.12, 3.1, 3.2})
    EXPECT_EQ(match(seconds, 3.1234), LengthMatch::same) << seconds;
  EXPECT_EQ(match(3, 3.1234), LengthMatch::audio_is_longer);
  EXPECT_EQ(match(4, 3.1234), LengthMatch::audio_is_shorter);
  EXPECT_EQ(match(0.5, 0.65), LengthMatch::audio_is_longer);
  EXPECT_EQ(match(1000, 1004.5), LengthMatch::same);
  EXPECT_EQ(match(1000, 1006), LengthMatch::audio_is_longer);
}

TEST(StatedLength, CutsToTheFrame) {
  const std::string wav = testing::made_wav(16000);
  const auto bytes = base::as_bytes(wav);
  Member audio{.name = "a.flac", .extension = "flac", .bytes = Bytes(bytes.begin(), bytes.end())};
  AudioInfo info = audio::probe(audio.bytes).info;
  cut_to_length(audio, info, 0.25);
  EXPECT_EQ(info.frames, 4000U);
  EXPECT_EQ(audio.extension, "wav");
  EXPECT_EQ(audio::probe(audio.bytes).info.frames, 4000U);
  EXPECT_EQ(testing::text_of(audio.bytes).substr(44), std::string_view(wav).substr(44, 8000));
}

TEST(StatedLength, ThePlaceComesBeforeTheOtherFacts) {
  EXPECT_EQ(facts_with_place(0, 1.5, R"("lang":"en")"), R"("source_begin":0.0,"source_end":1.5,"lang":"en")");
}

}  // namespace
}  // namespace shardmill::pipeline
