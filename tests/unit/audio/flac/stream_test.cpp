#include "audio/flac/stream.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "audio/flac.hpp"
#include "audio/made_audio.hpp"
#include "audio/made_pcm.hpp"
#include "audio/pcm/pcm.hpp"
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

namespace {

ProbeVerdict verdict(const Bytes& audio) {
  return probe_flac(ByteView(audio)).verdict;
}

/// Behind the blocks of metadata.
std::size_t first_frame(const Bytes& audio) {
  const ByteView view(audio);
  std::size_t at = 4;
  for (bool is_last = false; !is_last;) {
    is_last = (view.u8(at) & 0x80) != 0;
    at += 4 + view.be24(at + 1);
  }
  return at;
}

TEST(FlacFrames, WholeOnesOfManyLengths) {
  for (const std::uint64_t frames : {1U, 15U, 16U, 4095U, 4096U, 4097U, 300'000U}) {
    EXPECT_EQ(verdict(made_flac(frames)), ProbeVerdict::good) << frames;
    EXPECT_EQ(verdict(made_flac(frames, 2)), ProbeVerdict::good) << frames;
    EXPECT_EQ(flac_damage(ByteView(made_flac(frames, 8))), "") << frames;
  }
}

TEST(FlacFrames, EveryFlippedBitIsFound) {
  const Bytes whole = made_flac(20'000);
  for (std::size_t at = first_frame(whole); at < whole.size(); at += 17) {
    Bytes damaged = whole;
    damaged[at] ^= std::byte{0x10};
    EXPECT_NE(verdict(damaged), ProbeVerdict::good) << at;
  }
}

TEST(FlacFrames, ZeroedBytesAreFound) {
  const Bytes whole = made_flac(60'000);
  ASSERT_GT(whole.size(), 20'000u);
  for (const std::size_t count : {2U, 100U, 4096U, 12'000U}) {
    Bytes damaged = whole;
    std::fill_n(damaged.begin() + 5000, count, std::byte{0});
    const ProbeResult probed = probe_flac(ByteView(damaged));
    EXPECT_EQ(probed.verdict, ProbeVerdict::damaged) << count;
    EXPECT_TRUE(probed.text.starts_with("the FLAC frame at byte ")) << probed.text;
    EXPECT_NE(decode_flac(damaged).damage, "");
  }
}

TEST(FlacFrames, AFrameThatIsGoneIsFound) {
  const Bytes whole = made_flac(60'000);
  const ByteView view(whole);
  const FlacStreamInfo stream = read_flac_stream_info(view.from(8));
  std::vector<std::size_t> frames;
  for (std::size_t at = first_frame(whole); at < whole.size(); ++at) {
    if (flac_frame_at(view, at, stream)) frames.push_back(at);
  }
  ASSERT_GT(frames.size(), 10u);
  Bytes damaged = whole;
  damaged.erase(damaged.begin() + static_cast<std::ptrdiff_t>(frames[4]),
                damaged.begin() + static_cast<std::ptrdiff_t>(frames[5]));
  EXPECT_EQ(verdict(damaged), ProbeVerdict::damaged);
  EXPECT_EQ(find_damaged_frame(ByteView(damaged), frames[0], stream, false), frames[3]);
}

TEST(FlacFrames, WhatFollowsTheLastFrameIsNoDamageToIt) {
  Bytes tailed = made_flac(20'000);
  const std::size_t whole = tailed.size();
  const std::size_t first = first_frame(tailed);
  tailed.insert(tailed.end(), 40, std::byte{'x'});
  const FlacStreamInfo stream = read_flac_stream_info(ByteView(tailed).from(8));
  EXPECT_EQ(find_damaged_frame(ByteView(tailed), first, stream, true), std::nullopt);
  EXPECT_NE(find_damaged_frame(ByteView(tailed), first, stream, false), std::nullopt);
  tailed[whole / 2] ^= std::byte{1};
  EXPECT_NE(find_damaged_frame(ByteView(tailed), first, stream, true), std::nullopt);
}

}  // namespace
}  // namespace shardmill::audio
