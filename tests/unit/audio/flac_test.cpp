#include "audio/flac.hpp"

#include <gtest/gtest.h>

#include "audio/made_pcm.hpp"

namespace shardmill::audio {
namespace {

TEST(ProbeFlac, MeasuresWithoutDecoding) {
  for (const std::uint64_t frames : {1U, 4095U, 4096U, 4097U, 70'000U}) {
    const ProbeResult result = probe_flac(ByteView(made_flac(frames, 2)));
    EXPECT_EQ(result.verdict, ProbeVerdict::good) << result.text;
    EXPECT_EQ(result.info.frames, frames);
    EXPECT_EQ(result.info.channels, 2u);
    EXPECT_EQ(result.info.format, "flac/pcm16");
  }
}

TEST(ProbeFlac, NoCutIsGoodAndNoneHasMoreThanThereIs) {
  const Bytes whole = made_flac(9000);
  for (std::size_t cut = 4; cut < whole.size(); cut += 1 + (cut > 60 ? 13 : 0)) {
    const ProbeResult result = probe_flac(ByteView(std::span(whole).first(cut)));
    EXPECT_NE(result.verdict, ProbeVerdict::good) << cut;
    if (result.verdict != ProbeVerdict::truncated || result.info.frames == 9000) continue;
    EXPECT_LT(result.info.frames, 9000u) << cut;
  }
}

TEST(ProbeFlac, ATagBehindItIsPassedOver) {
  Bytes tagged = made_flac(5000);
  const Bytes plain = tagged;
  const std::string tag = "TAG" + std::string(125, 'x');
  for (const char c : tag) tagged.push_back(static_cast<std::byte>(c));
  EXPECT_EQ(without_id3v1(ByteView(tagged)).size(), plain.size());
  EXPECT_EQ(without_id3v1(ByteView(plain)).size(), plain.size());
  EXPECT_EQ(probe_flac(ByteView(tagged)).verdict, ProbeVerdict::good);
}

TEST(PlainFlac, SaysHowLongItIsAndHasNothingInFront) {
  Bytes whole = made_flac(5000);
  EXPECT_TRUE(is_plain_flac(ByteView(whole)));
  Bytes unknown = whole;
  unknown[21] &= std::byte{0xf0};
  for (std::size_t at = 22; at < 26; ++at) unknown[at] = std::byte{0};
  EXPECT_FALSE(is_plain_flac(ByteView(unknown)));
  whole.insert(whole.begin(), {std::byte{'I'}, std::byte{'D'}, std::byte{'3'}});
  EXPECT_FALSE(is_plain_flac(ByteView(whole)));
  EXPECT_FALSE(is_plain_flac(ByteView({})));
}

}  // namespace
}  // namespace shardmill::audio
