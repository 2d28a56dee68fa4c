#include "audio/sndfile.hpp"

#include <gtest/gtest.h>
#include <sndfile.h>

#include <limits>
#include <string>

#include "audio/flac.hpp"
#include "audio/made_audio.hpp"
#include "audio/made_pcm.hpp"
#include "audio/wav.hpp"
#include "base/io/file.hpp"
#include "support/bytes.hpp"
#include "support/command_output.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::audio {

namespace {

TEST(Sndfile, SaysWhatWasWritten) {
  const auto info = sndfile_info(encode_wav(made_pcm(PcmEncoding::pcm24, 2, 1234)));
  ASSERT_TRUE(info);
  EXPECT_EQ(info->format, "wav/pcm24");
  EXPECT_EQ(info->channels, 2u);
  EXPECT_EQ(info->frames, 1234u);
  EXPECT_EQ(info->sample_rate, 16000u);
}

TEST(Sndfile, CountsOnlyFramesThatAreThere) {
  const Bytes flac = encode_flac(made_pcm(PcmEncoding::pcm16, 1, 20'000));
  EXPECT_EQ(sndfile_count_frames(flac), 20'000u);
  const auto half = sndfile_count_frames(std::span(flac).first(flac.size() / 2));
  ASSERT_TRUE(half);
  EXPECT_LT(*half, 20'000u);
  EXPECT_GT(*half, 4'000u);
}

TEST(Sndfile, WhatIsNoAudioIsNone) {
  const std::string text = "this is no audio, whatever its name says; it is long enough to be looked at";
  const auto bytes = std::as_bytes(std::span(text));
  EXPECT_EQ(sndfile_info(bytes), std::nullopt);
  EXPECT_EQ(sndfile_count_frames(bytes), std::nullopt);
  EXPECT_FALSE(sndfile_decode(bytes));
  EXPECT_FALSE(sndfile_decode({}));
}

TEST(Sndfile, SilenceAndValuesThatAreNoNumbersAreTold) {
  Pcm pcm = made_pcm(PcmEncoding::float32, 1, 3000);
  EXPECT_FALSE(sndfile_decode(encode_wav(pcm))->silent);
  EXPECT_FALSE(sndfile_decode(encode_wav(pcm))->non_finite);
  const float odd[] = {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()};
  for (const float value : odd) {
    Pcm bad = pcm;
    std::memcpy(bad.data.data() + 4 * 2999, &value, 4);
    EXPECT_TRUE(sndfile_decode(encode_wav(bad))->non_finite);
  }
  std::fill(pcm.data.begin(), pcm.data.end(), std::byte{0});
  const auto silent = sndfile_decode(encode_wav(pcm));
  EXPECT_TRUE(silent->silent);
  EXPECT_EQ(silent->frames, 3000u);
}

TEST(Sndfile, DamageOfAFlacIsTold) {
  Bytes flac = encode_flac(made_pcm(PcmEncoding::pcm16, 1, 20'000));
  EXPECT_EQ(sndfile_decode(flac)->damage, "");
  flac[flac.size() / 2] ^= std::byte{1};
  EXPECT_NE(sndfile_decode(flac)->damage, "");
}

TEST(Sndfile, ItsVersionIsThatOfTheInstalledLibrary) {
  const std::string installed =
      testing::command_output("pkg-config --modversion sndfile 2>/dev/null || true");
  if (!installed.empty()) {
    EXPECT_EQ(libsndfile_version() + "\n", installed);
  }
}

}  // namespace

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

namespace {

std::vector<short> values(SndfileStream& stream) {
  std::vector<short> all(5000);
  all.resize(
      static_cast<std::size_t>(sf_read_short(static_cast<SNDFILE*>(stream.handle()), all.data(), 5000)));
  return all;
}

TEST(SndfileStream, FileAndMemoryAreTheSameAndReopeningBeginsAgain) {
  const testing::TemporaryFolder folder;
  const Bytes wav = encode_wav(made_pcm(PcmEncoding::pcm16, 1, 3000));
  const std::string path = folder.write("a.wav", {reinterpret_cast<const char*>(wav.data()), wav.size()});
  SndfileStream memory(wav);
  SndfileStream file(base::File::open_read(path));
  ASSERT_TRUE(memory.is_open());
  ASSERT_TRUE(file.is_open());
  EXPECT_EQ(memory.info()->frames, 3000u);
  EXPECT_EQ(file.info()->frames, 3000u);
  const auto first = values(memory);
  EXPECT_EQ(first.size(), 3000u);
  EXPECT_EQ(values(file), first);
  EXPECT_TRUE(values(file).empty());
  file.reopen();
  EXPECT_EQ(values(file), first);
}

TEST(SndfileStream, AWavOfAPipeWriterIsReadToItsEnd) {
  Bytes wav = encode_wav(made_pcm(PcmEncoding::pcm16, 1, 3000));
  for (std::size_t at = 40; at < 44; ++at) wav[at] = std::byte{0};
  SndfileStream stream(wav);
  ASSERT_TRUE(stream.is_open());
  EXPECT_EQ(values(stream).size(), 3000u);
}

TEST(SndfileStream, WhatIsNoAudioIsNotOpen) {
  const std::string text(1000, 'x');
  EXPECT_FALSE(SndfileStream(std::as_bytes(std::span(text))).is_open());
  EXPECT_FALSE(SndfileStream(std::span<const std::byte>()).is_open());
}

std::string layer_name(int encoding) {
  SF_FORMAT_INFO info{.format = encoding, .name = nullptr, .extension = nullptr};
  return sf_command(nullptr, SFC_GET_FORMAT_INFO, &info, sizeof(info)) == 0 && info.name != nullptr
             ? info.name
             : "";
}

TEST(SndfileStream, TheNumbersOfMpegAreThoseOfTheLibrary) {
  if (!sndfile_reads_mpeg()) GTEST_SKIP() << "this libsndfile reads no MPEG audio";
  EXPECT_NE(layer_name(kSndfileMpegLayer1).find("Layer I"), std::string::npos);
  EXPECT_NE(layer_name(kSndfileMpegLayer2).find("Layer II"), std::string::npos);
  EXPECT_NE(layer_name(kSndfileMpegLayer3).find("Layer III"), std::string::npos);
}

}  // namespace
}  // namespace shardmill::audio
