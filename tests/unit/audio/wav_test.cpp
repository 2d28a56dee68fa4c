#include "audio/wav.hpp"

#include <gtest/gtest.h>

#include "audio/made_pcm.hpp"
#include "audio/sndfile.hpp"

namespace shardmill::audio {
namespace {

void put32(Bytes& bytes, std::size_t at, std::uint32_t value) {
  for (int i = 0; i < 4; ++i)
    bytes[at + static_cast<std::size_t>(i)] = static_cast<std::byte>(value >> 8 * i);
}

TEST(ProbeWav, AgreesWithLibsndfileOnEveryEncoding) {
  for (int i = 0; i <= static_cast<int>(PcmEncoding::float64); ++i) {
    for (const std::uint32_t channels : {1U, 2U, 6U}) {
      const Bytes wav = encode_wav(made_pcm(static_cast<PcmEncoding>(i), channels, 777));
      const ProbeResult result = probe_wav(ByteView(wav));
      const auto library = sndfile_info(wav);
      ASSERT_TRUE(library);
      EXPECT_EQ(result.verdict, ProbeVerdict::good) << result.text;
      EXPECT_EQ(result.info.format, library->format);
      EXPECT_EQ(result.info.frames, library->frames);
      EXPECT_EQ(result.info.channels, library->channels);
      EXPECT_EQ(result.info.sample_rate, library->sample_rate);
    }
  }
}

TEST(ProbeWav, OtherChunksMayStandBeforeTheData) {
  Bytes wav = encode_wav(made_pcm(PcmEncoding::pcm16, 1, 100));
  const Bytes odd{std::byte{'L'}, std::byte{'I'}, std::byte{'S'}, std::byte{'T'},
                  std::byte{3},   std::byte{0},   std::byte{0},   std::byte{0},
                  std::byte{'a'}, std::byte{'b'}, std::byte{'c'}, std::byte{0}};
  wav.insert(wav.begin() + 36, odd.begin(), odd.end());
  EXPECT_EQ(probe_wav(ByteView(wav)).info.frames, 100u);
}

TEST(ProbeWav, CountsTheBytesThatAreMissing) {
  const Bytes wav = encode_wav(made_pcm(PcmEncoding::pcm16, 1, 100));
  for (std::size_t missing = 1; missing < 200; missing += 7) {
    const ProbeResult result = probe_wav(ByteView(std::span(wav).first(wav.size() - missing)));
    EXPECT_EQ(result.verdict, ProbeVerdict::truncated) << missing;
    EXPECT_EQ(result.text, std::to_string(missing) + " of 200 bytes of audio are missing");
    EXPECT_EQ(result.info.frames, (200 - missing) / 2);
  }
}

TEST(UnsetDataSize, IsFoundOnlyWhereAPipeWriterLeftIt) {
  Bytes wav = encode_wav(made_pcm(PcmEncoding::pcm16, 1, 100));
  EXPECT_EQ(find_unset_data_size(ByteView(wav)), std::nullopt);
  put32(wav, 40, 0);
  EXPECT_EQ(find_unset_data_size(ByteView(wav)), 40u);
  EXPECT_EQ(find_unset_data_size(ByteView(std::span(wav).first(44))), std::nullopt);  // no data follows
  for (std::size_t cut = 0; cut < 44; ++cut)
    EXPECT_EQ(find_unset_data_size(ByteView(std::span(wav).first(cut))), std::nullopt) << cut;
  wav[0] = std::byte{'X'};
  EXPECT_EQ(find_unset_data_size(ByteView(wav)), std::nullopt);
}

TEST(ProbeWav, RandomHeadersNeverReadBeyondTheirEnd) {
  std::mt19937 random(3);
  const Bytes good = encode_wav(made_pcm(PcmEncoding::pcm16, 1, 20));
  for (int round = 0; round < 20'000; ++round) {
    Bytes wav(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(13 + random() % (good.size() - 12)));
    for (int changes = 0; changes < 3; ++changes)
      wav[12 + random() % (wav.size() - 12)] = static_cast<std::byte>(random());
    const ProbeResult result = probe_wav(ByteView(wav));
    if (result.verdict == ProbeVerdict::good) {
      EXPECT_LE(result.info.frames, wav.size());
    }
  }
}

}  // namespace
}  // namespace shardmill::audio
