#include "audio/flac/stream.hpp"

#include <gtest/gtest.h>

#include <string>

#include "audio/flac.hpp"
#include "audio/made_audio.hpp"
#include "audio/made_pcm.hpp"
#include "audio/pcm/decoder.hpp"
#include "base/io/file.hpp"

namespace shardmill::audio {

namespace {

/// All values, as a WAV has them, and what is said at the end.
DecodedAudio decode(std::span<const std::byte> flac, FlacStream::Md5 md5, std::size_t value_bytes,
                    Bytes& values) {
  values.clear();
  FlacStream stream(flac, md5, [&](const FlacBlock& block) {
    append_interleaved(block, value_bytes, value_bytes == 1 ? 128 : 0, values);
    return true;
  });
  while (stream.next()) {
  }
  return stream.finish();
}

TEST(FlacStream, GivesTheValuesThatWereEncoded) {
  for (const PcmEncoding encoding : {PcmEncoding::pcm8, PcmEncoding::pcm16, PcmEncoding::pcm24}) {
    for (const std::uint32_t channels : {1U, 2U, 7U}) {
      const Pcm pcm = made_pcm(encoding, channels, 10'001);
      Bytes values;
      const DecodedAudio decoded =
          decode(encode_flac(pcm), FlacStream::Md5::compared, value_bytes(encoding), values);
      EXPECT_EQ(decoded.damage, "") << name(encoding);
      EXPECT_EQ(decoded.frames, 10'001u);
      EXPECT_FALSE(decoded.silent);
      EXPECT_TRUE(values == pcm.data) << name(encoding) << " " << channels;
    }
  }
}

TEST(FlacStream, AWrongMd5IsFoundWhereItIsCompared) {
  Bytes flac = encode_flac(made_pcm(PcmEncoding::pcm16, 1, 5000));
  flac[26] ^= std::byte{1};  // the first byte of the MD5 in STREAMINFO
  Bytes values;
  EXPECT_EQ(decode(flac, FlacStream::Md5::compared, 2, values).damage, kWrongMd5);
  EXPECT_EQ(decode(flac, FlacStream::Md5::left_to_the_caller, 2, values).damage, "");
  FlacStream stream(flac, FlacStream::Md5::left_to_the_caller);
  stream.next();
  ASSERT_TRUE(stream.md5());
  EXPECT_EQ((*stream.md5())[0], flac[26]);
}

TEST(FlacStream, EveryCutAndEveryFlippedByteOfAFrameIsDamage) {
  const Pcm pcm = made_pcm(PcmEncoding::pcm16, 1, 3000);
  const Bytes flac = encode_flac(pcm);
  std::size_t first_frame = 4;
  while (flac[first_frame] != std::byte{0xff} || flac[first_frame + 1] != std::byte{0xf8}) ++first_frame;
  Bytes values;
  for (std::size_t at = first_frame; at < flac.size(); at += 31) {
    EXPECT_NE(decode(std::span(flac).first(at), FlacStream::Md5::compared, 2, values).damage, "") << at;
    Bytes changed = flac;
    changed[at] ^= std::byte{0x10};
    EXPECT_NE(decode(changed, FlacStream::Md5::compared, 2, values).damage, "") << at;
  }
}

TEST(FlacStream, EndsWhereNoMoreIsWanted) {
  const Bytes flac = encode_flac(made_pcm(PcmEncoding::pcm16, 1, 50'000));
  int blocks = 0;
  FlacStream stream(flac, FlacStream::Md5::left_to_the_caller,
                    [&](const FlacBlock&) { return ++blocks < 2; });
  while (stream.next()) {
  }
  EXPECT_EQ(blocks, 2);
}

TEST(FlacStream, SilenceIsTold) {
  Pcm pcm = made_pcm(PcmEncoding::pcm16, 1, 5000);
  std::fill(pcm.data.begin(), pcm.data.end(), std::byte{0});
  Bytes values;
  EXPECT_TRUE(decode(encode_flac(pcm), FlacStream::Md5::compared, 2, values).silent);
  pcm.data.back() = std::byte{1};
  EXPECT_FALSE(decode(encode_flac(pcm), FlacStream::Md5::compared, 2, values).silent);
}

}  // namespace

namespace {

std::vector<MadeAudio> flacs(const testing::TemporaryFolder& folder) {
  return make_audio(folder, R"(
for subtype in ['PCM_S8', 'PCM_16', 'PCM_24']:
    for channels in [1, 2, 8]:
        sf.write(f'{subtype}_{channels}.flac', noise(10003, channels), 16000, subtype=subtype)
sf.write('loud.flac', np.array([-1.0, 1.0, -1.0, 1.0] * 1000), 16000)
)");
}

TEST(DecodeSoundFlac, GivesTheValuesThatLibsndfileGives) {
  const testing::TemporaryFolder folder;
  const auto made = flacs(folder);
  ASSERT_EQ(made.size(), 10U);
  for (const MadeAudio& audio : made) {
    const std::string flac = content(audio.file);
    PcmDecoder decoder(base::as_bytes(flac));
    Pcm expected = decoder.empty_pcm();
    decoder.read(audio.frames, expected);
    const auto decoded = decode_sound_flac(base::as_bytes(flac), audio.frames, decoder.empty_pcm());
    ASSERT_TRUE(decoded) << audio.file;
    EXPECT_EQ(decoded->frames(), audio.frames) << audio.file;
    EXPECT_TRUE(decoded->data == expected.data) << audio.file;
  }
}

TEST(DecodeSoundFlac, GivesNothingOfWhatIsNotAsExpected) {
  const testing::TemporaryFolder folder;
  for (const MadeAudio& audio : flacs(folder)) {
    const std::string flac = content(audio.file);
    const Pcm pcm = PcmDecoder(base::as_bytes(flac)).empty_pcm();
    const auto is_given = [&](const std::string& bytes, std::uint64_t frames, const Pcm& like) {
      return decode_sound_flac(base::as_bytes(bytes), frames, like).has_value();
    };
    EXPECT_TRUE(is_given(flac, audio.frames, pcm));
    EXPECT_FALSE(is_given(flac, audio.frames - 1, pcm));
    EXPECT_FALSE(is_given(flac, audio.frames + 1, pcm));
    EXPECT_FALSE(is_given(flac + flac, audio.frames, pcm));
    Pcm other = pcm;
    other.channels += 1;
    EXPECT_FALSE(is_given(flac, audio.frames, other));
    other = pcm;
    other.encoding = pcm.encoding == PcmEncoding::pcm16 ? PcmEncoding::pcm24 : PcmEncoding::pcm16;
    EXPECT_FALSE(is_given(flac, audio.frames, other));
    other.encoding = PcmEncoding::float32;
    EXPECT_FALSE(is_given(flac, audio.frames, other));
    constexpr std::size_t kMd5At = 26;  // in the stream's header
    for (const std::size_t at : {kMd5At, flac.size() / 2}) {
      std::string damaged = flac;
      damaged[at] ^= 1;
      EXPECT_FALSE(is_given(damaged, audio.frames, pcm)) << audio.file << " at " << at;
    }
  }
}

}  // namespace

}  // namespace shardmill::audio
