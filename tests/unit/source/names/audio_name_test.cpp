#include "source/names/audio_name.hpp"

#include <gtest/gtest.h>

namespace shardmill::source {
namespace {

TEST(AudioName, StemAndExtension) {
  EXPECT_EQ(audio_name("x.y/a.b.Wav").stem, "a.b");
  EXPECT_EQ(audio_name("x.y/a.b.Wav").extension, "Wav");
  EXPECT_EQ(audio_name("x.y/a").stem, "a");
  EXPECT_EQ(audio_name("x.y/a").extension, "");
  EXPECT_EQ(audio_name("x/.wav").extension, "");
  EXPECT_EQ(without_extension("x.y/a.b.wav"), "x.y/a.b");
  EXPECT_EQ(without_extension("x.y/a"), "x.y/a");
}

TEST(AudioName, AudioInSmallLettersAndCapitals) {
  for (const char* name : {"a.wav", "a.FLAC", "x/a.b.Mp3"}) EXPECT_TRUE(is_audio_name(name)) << name;
  for (const char* name : {"a.txt", "wav", "a.wav/b", ".wav", "a.wav.bak"})
    EXPECT_FALSE(is_audio_name(name)) << name;
  EXPECT_TRUE(has_extension("a.TXT", "txt"));
  EXPECT_FALSE(has_extension("a.trans", "txt"));
}

}  // namespace
}  // namespace shardmill::source
