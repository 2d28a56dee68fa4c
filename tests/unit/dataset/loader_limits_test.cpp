#include "dataset/loader_limits.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace shardmill::dataset {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string_view> ids(const ShardForm& form) {
  std::vector<std::string_view> ids;
  for (const LoaderLimit& limit : loader_limits(form)) ids.push_back(limit.id);
  return ids;
}

TEST(LoaderLimits, NoneWhereAllLoadersReadIt) {
  EXPECT_THAT(ids({.codec = codec::Codec::none, .containers = {"flac"}}), IsEmpty());
  EXPECT_THAT(ids({.codec = codec::Codec::gzip, .containers = {"flac"}}), IsEmpty());
}

TEST(LoaderLimits, EachForItsReason) {
  EXPECT_THAT(ids({.codec = codec::Codec::zstd}), ElementsAre("codec"));
  EXPECT_THAT(ids({.codec = codec::Codec::lz4}), ElementsAre("codec"));
  EXPECT_THAT(ids({.prefix = "train"}), ElementsAre("prefix"));
  EXPECT_THAT(ids({.containers = {"flac", "wav"}}), ElementsAre("mixed_containers"));
  EXPECT_THAT(ids({.has_text_members = true}), ElementsAre("text_members"));
  EXPECT_THAT(ids({.codec = codec::Codec::zstd,
                   .prefix = "train",
                   .has_text_members = true,
                   .containers = {"flac", "wav"}}),
              ElementsAre("codec", "prefix", "mixed_containers", "text_members"));
}

TEST(LoaderLimits, NamesThatNemoTakes) {
  for (const char* good : {"audio_0.tar", "a/b/audio_000000003.tar", "my_audio_7.tar", "audio_12.tar.zst",
                           "audio_train_5_x.tar"})
    EXPECT_TRUE(has_nemo_name(good)) << good;
  for (const char* bad :
       {"train_0.tar", "audio.tar", "audio_x.tar", "audio_0", "audio/x_0.tar", "x_0_audio.tar", ""})
    EXPECT_FALSE(has_nemo_name(bad)) << bad;
}

}  // namespace
}  // namespace shardmill::dataset
