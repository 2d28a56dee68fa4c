#include "source/file_name.hpp"

#include <gtest/gtest.h>

#include <initializer_list>

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

TEST(ShardName, IsToldByItsSuffix) {
  for (const std::string_view name : {"x.tar", "x.tar.bz2", "x.tgz", "x.TAR.GZ", "x.Tar.bgz", "x.tar.gzip",
                                      "x.taz", "x.tb2", "x.tar.lzma", "x.tar.Z", "x.y.tar.zst"}) {
    EXPECT_TRUE(has_shard_name(name)) << name;
  }
  for (const std::string_view name :
       {"x", "tar", "x.gz", "x.tar.idx", "x.tar.gz.part", "x.tar.md5", "x.txt", "xtar", ""}) {
    EXPECT_FALSE(has_shard_name(name)) << name;
  }
}

TEST(ShardName, WithoutItsSuffix) {
  EXPECT_EQ(without_shard_suffix("a.b.tar.bz2"), "a.b");
  EXPECT_EQ(without_shard_suffix("a.TGZ"), "a");
  EXPECT_EQ(without_shard_suffix("a.gz"), "a.gz");
}

}  // namespace
}  // namespace shardmill::source
