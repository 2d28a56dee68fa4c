#include "audio/sndfile_stream.hpp"

#include <gtest/gtest.h>
#include <sndfile.h>

#include <string>

#include "audio/made_pcm.hpp"
#include "audio/sndfile.hpp"
#include "audio/wav_writer.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::audio {
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
