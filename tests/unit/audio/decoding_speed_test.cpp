#include "audio/decoding_speed.hpp"

#include <gtest/gtest.h>

#include "audio/made_audio.hpp"
#include "base/io/file.hpp"
#include "support/bytes.hpp"

namespace shardmill::audio {
namespace {

TEST(DecodingSpeed, IsFasterThanTheAudioPlays) {
  const testing::TemporaryFolder folder;
  std::vector<Bytes> audio{testing::bytes_of("no audio")};
  for (const MadeAudio& made : make_audio(folder, "sf.write('a.flac', noise(160000), 16000)")) {
    audio.push_back(testing::bytes_of(base::read_text(made.file)));
  }
  EXPECT_GT(decoding_speed(audio), 10);
}

TEST(DecodingSpeed, OfNothingThatDecodesIsZero) {
  EXPECT_EQ(decoding_speed({}), 0);
  EXPECT_EQ(decoding_speed(std::vector<Bytes>{testing::bytes_of("RIFF and no more")}), 0);
}

}  // namespace
}  // namespace shardmill::audio
