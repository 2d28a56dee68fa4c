#include "audio/pcm/pcm.hpp"

#include <gtest/gtest.h>

#include <set>

namespace shardmill::audio {
namespace {

TEST(Pcm, NamesSayHowWideValuesAre) {
  std::set<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(PcmEncoding::float64); ++i) {
    const auto encoding = static_cast<PcmEncoding>(i);
    const std::string_view encoding_name = name(encoding);
    EXPECT_TRUE(names.insert(encoding_name).second);
    EXPECT_EQ(is_float(encoding), encoding_name.starts_with("float"));
    const std::size_t bits =
        std::stoul(std::string(encoding_name.substr(encoding_name.find_first_of("0123456789"))));
    EXPECT_EQ(8 * value_bytes(encoding), bits) << encoding_name;
  }
}

TEST(Pcm, AFrameHasAValueOfEachChannel) {
  const Pcm pcm{.encoding = PcmEncoding::pcm24, .sample_rate = 1, .channels = 5, .data = Bytes(45)};
  EXPECT_EQ(pcm.frame_bytes(), 15u);
  EXPECT_EQ(pcm.frames(), 3u);
}

}  // namespace
}  // namespace shardmill::audio
