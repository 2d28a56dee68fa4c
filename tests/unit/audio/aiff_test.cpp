#include <gtest/gtest.h>

#include <string>

#include "audio/containers.hpp"
#include "base/io/file.hpp"

namespace shardmill::audio {
namespace {

using namespace std::string_literals;

std::string big(std::uint64_t value, std::size_t bytes) {
  std::string text;
  for (std::size_t i = bytes; i-- > 0;) text += static_cast<char>(value >> (8 * i) & 0xff);
  return text;
}

/// 16 kHz, mono, 16 bits; what its header says may be wrong.
std::string made_aiff(std::size_t frames, std::uint64_t said_frames, std::uint64_t said_bytes,
                      bool is_compressed = false) {
  std::string data;
  for (std::size_t i = 0; i < frames; ++i) data += big(0x8181 + i * 37 % 4000, 2);
  const std::string form = is_compressed ? "ima4\0\0"s : ""s;
  const std::string chunks = "COMM" + big(18 + form.size(), 4) + big(1, 2) + big(said_frames, 4) +
                             big(16, 2) + "\x40\x0c\xfa\0\0\0\0\0\0\0"s + form + "SSND" +
                             big(8 + said_bytes, 4) + big(0, 8) + data;
  return "FORM" + big(4 + chunks.size(), 4) + (is_compressed ? "AIFC" : "AIFF") + chunks;
}

ProbeResult probed(const std::string& bytes) {
  return probe_aiff(ByteView(base::as_bytes(bytes)));
}

std::string mended_text(const std::string& bytes, std::uint64_t frames) {
  AudioInfo info;
  info.frames = frames;
  const auto mended = mended_aiff(ByteView(base::as_bytes(bytes)), info);
  return mended ? std::string(reinterpret_cast<const char*>(mended->data()), mended->size()) : "is right";
}

TEST(Aiff, ARightHeaderStays) {
  const std::string good = made_aiff(800, 800, 1600);
  EXPECT_EQ(probed(good).verdict, ProbeVerdict::good);
  EXPECT_EQ(probed(good).info.frames, 800U);
  EXPECT_EQ(mended_text(good, 800), "is right");
}

TEST(Aiff, SizesThatAreWrong) {
  const std::string good = made_aiff(800, 800, 1600);
  EXPECT_EQ(mended_text(made_aiff(800, 7, 1600), 800), good);
  // From a pipe: the size is not known yet.
  const std::string piped = made_aiff(800, 0x3fffffff, 0x7ffffff8 - 8);
  EXPECT_EQ(probed(piped).verdict, ProbeVerdict::size_unknown);
  EXPECT_EQ(mended_text(piped, 800), good);
  // FORM covers what SSND does not.
  const std::string hidden = made_aiff(800, 400, 800);
  EXPECT_EQ(probed(hidden).hidden_bytes, 800U);
  EXPECT_EQ(probed(hidden).info.frames, 800U);
  EXPECT_EQ(mended_text(hidden, 800), good);
}

TEST(Aiff, AudioThatIsCut) {
  const std::string good = made_aiff(800, 800, 1600);
  EXPECT_EQ(probed(good.substr(0, good.size() - 100)).verdict, ProbeVerdict::truncated);
  EXPECT_EQ(probed(good.substr(0, 30)).verdict, ProbeVerdict::truncated);
}

TEST(Aiff, OfCompressedAudioTheCountIsNotThatOfItsBytes) {
  EXPECT_EQ(mended_text(made_aiff(800, 7, 1600, true), 800), "is right");
}

}  // namespace
}  // namespace shardmill::audio
