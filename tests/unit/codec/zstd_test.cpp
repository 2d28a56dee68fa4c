#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zstd.h>

#include <string>

#include "codec/codec_files.hpp"
#include "codec/formats.hpp"

namespace shardmill::codec {
namespace {

using testing::decode_in_steps;
using testing::encode;
using ::testing::HasSubstr;
using testing::noise;
using testing::text_like;
using testing::through;

TEST(ZstdDecoder, ReadsEveryKindOfFrameThatTheProgramWrites) {
  const std::string plain = text_like(200'000) + noise(5'000);
  for (const char* kind : {"-1", "-19", "--fast=5", "--no-check", "--long=27"}) {
    const std::string file = through(std::string("zstd -qc ") + kind, plain);
    for (const std::size_t in : {std::size_t{5}, std::size_t{65536}}) {
      std::string got;
      EXPECT_EQ(decode_in_steps(make_zstd_decoder(), file, in, 10'000, got).problem, "") << kind;
      EXPECT_TRUE(got == plain) << kind;
    }
  }
}

TEST(ZstdDecoder, EveryCutIsSeenAndEveryFlippedBitToo) {
  const std::string plain = text_like(300);
  testing::expect_all_damage_found(make_zstd_decoder, through("zstd -qc", plain), plain);
}

TEST(ZstdDecoder, FramesThatAreToBeSkippedHoldNothing) {
  const std::string skippable("\x50\x2A\x4D\x18\x03\0\0\0abc", 11);
  const std::string frame = through("zstd -qc", "text");
  std::string got;
  EXPECT_EQ(decode_in_steps(make_zstd_decoder(), skippable + frame + skippable + frame, 3, 50, got).problem,
            "");
  EXPECT_EQ(got, "texttext");
}

TEST(ZstdDecoder, ItsDamageIsNamed) {
  std::string got;
  std::string file = through("zstd -qc", text_like(2000));
  file[file.size() - 1] = static_cast<char>(file.back() ^ 1);  // of the checksum
  EXPECT_EQ(decode_in_steps(make_zstd_decoder(), file, file.size(), 100, got).problem,
            "damaged zstd data: Restored data doesn't match checksum");
}

TEST(ZstdEncoder, TheProgramReadsItAndFindsItsChecksum) {
  for (const std::size_t size : {0U, 1U, 262'144U, 262'145U, 1'000'000U}) {
    const std::string plain = text_like(size);
    const std::string file = encode({.codec = Codec::zstd}, plain, 10'007);
    EXPECT_TRUE(through("zstd -dc", file) == plain) << size;
    // Bit 2 of the frame's descriptor says that a checksum follows.
    EXPECT_EQ(file[4] & 4, 4) << size;
  }
}

TEST(ZstdEncoder, ItsEstimateOfMemoryGrowsWithTheLevel) {
  EXPECT_GT(zstd_encoder_bytes(1), 100'000u);
  EXPECT_GT(zstd_encoder_bytes(19), 4 * zstd_encoder_bytes(3));
  EXPECT_LT(zstd_encoder_bytes(19), std::uint64_t{1} << 30);
}

TEST(SeekableZstdEncoder, EachFrameCanBeReadAlone) {
  const std::string plain = text_like(2'500'000);
  std::string file;
  const auto encoder = make_seekable_zstd_encoder(3, [&](std::span<const std::byte> bytes) {
    file.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  });
  encoder->write(base::as_bytes(plain));
  encoder->finish();
  EXPECT_TRUE(through("zstd -dc", file) == plain);
  const auto number = [&](std::size_t at) {
    std::uint32_t value = 0;
    for (unsigned i = 0; i < 4; ++i)
      value |= std::uint32_t{static_cast<unsigned char>(file[at + i])} << (8 * i);
    return value;
  };
  // The last nine bytes: how many frames there are, a descriptor, a magic. Before them eight bytes for each.
  const std::uint32_t frames = number(file.size() - 9);
  ASSERT_EQ(frames, 3u);
  EXPECT_EQ(number(file.size() - 4), 0x8F92EAB1u);
  std::size_t packed = 0;
  std::string got;
  for (std::uint32_t i = 0; i < frames; ++i) {
    const std::size_t entry = file.size() - 9 - 8 * (frames - i);
    const std::string frame = file.substr(packed, number(entry));
    EXPECT_EQ(ZSTD_findFrameCompressedSize(frame.data(), frame.size()), frame.size());
    const std::string part = through("zstd -dc", frame);
    EXPECT_EQ(part.size(), number(entry + 4));
    got += part;
    packed += frame.size();
  }
  EXPECT_TRUE(got == plain);
}

}  // namespace
}  // namespace shardmill::codec
