#include "codec/gzip/deflate_decoder.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "codec/codec_files.hpp"
#include "codec/gzip/deflate_bits_written.hpp"
#include "codec/gzip/gzip_oracle.hpp"

namespace shardmill::codec {
namespace {

using testing::gzip_member;
using testing::text_like;

/// Decodes a file of one member, given as much of it at a time as `in_step` says, with room for `out_step`.
/// `Symbol`: bytes, or symbols of 16 bits.
template <typename Symbol>
class Decoding {
 public:
  Decoding(const std::string& file, std::size_t plain_bytes)
      : file_(file), plain_(plain_bytes + kDeflateLoopRoom), decoder_(std::make_unique<DeflateDecoder>()) {}

  DeflateEnd go(std::size_t in_step, std::size_t out_step, bool save_and_restore = false) {
    DeflateOutput<Symbol> out{plain_.data(), plain_.data(), plain_.data()};
    std::size_t held = std::min(file_.size(), in_step);
    for (;;) {
      out.end = std::min(plain_.data() + plain_.size(), out.next + out_step);
      const auto end = decoder_->decode(base::as_bytes(std::string_view(file_).substr(0, held)), bit, out);
      done = static_cast<std::size_t>(out.next - plain_.data());
      if (end == DeflateEnd::damage || end == DeflateEnd::last_block) return end;
      if (end == DeflateEnd::block) ++blocks;
      if (end == DeflateEnd::input && held == file_.size()) return end;
      if (end == DeflateEnd::input) held = std::min(file_.size(), held + in_step);
      if (end == DeflateEnd::room && out_step >= plain_.size()) return end;
      if (save_and_restore) exchange_decoder();
    }
  }

  std::string plain() const {
    std::string bytes;
    for (std::size_t i = 0; i < done; ++i) bytes += static_cast<char>(plain_[i]);
    return bytes;
  }
  std::string problem() const { return decoder_->problem() == nullptr ? "" : decoder_->problem(); }

  std::uint64_t bit = testing::kGzipHeaderBits;
  std::size_t done = 0;
  std::size_t blocks = 0;

 private:
  void exchange_decoder() {
    base::BinaryWriter saved;
    decoder_->save(saved);
    const auto bytes = saved.take();
    base::BinaryReader in(bytes);
    decoder_ = std::make_unique<DeflateDecoder>();
    decoder_->restore(in);
  }

  const std::string& file_;
  std::vector<Symbol> plain_;
  std::unique_ptr<DeflateDecoder> decoder_;
};

TEST(DeflateDecoderTest, DecodesWhatZlibWrites) {
  for (std::uint64_t seed = 0; seed < 80; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const std::string plain = testing::some_plain(random, 100'000);
    testing::DeflateWay way = testing::some_way(random);
    way.full_header = false;
    const std::string file = gzip_member(plain, way);
    Decoding<std::uint8_t> bytes(file, plain.size());
    ASSERT_EQ(bytes.go(file.size(), SIZE_MAX / 4), DeflateEnd::last_block);
    ASSERT_TRUE(bytes.plain() == plain);
    // Only the checksum and the size follow.
    EXPECT_EQ((bytes.bit + 7) / 8 + 8, file.size());
    Decoding<std::uint16_t> symbols(file, plain.size());
    ASSERT_EQ(symbols.go(file.size(), SIZE_MAX / 4), DeflateEnd::last_block);
    ASSERT_TRUE(symbols.plain() == plain);
    EXPECT_EQ(symbols.blocks, bytes.blocks);
  }
}

TEST(DeflateDecoderTest, InAnyPartsAndByAnyNumberOfDecoders) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const std::string plain = testing::some_plain(random, 20'000);
    testing::DeflateWay way = testing::some_way(random);
    way.full_header = false;
    const std::string file = gzip_member(plain, way);
    for (const std::size_t in_step : {std::size_t{1}, std::size_t{13}, std::size_t{1000}}) {
      Decoding<std::uint8_t> run(file, plain.size());
      ASSERT_EQ(run.go(in_step, kDeflateLoopRoom + 100, true), DeflateEnd::last_block) << in_step;
      ASSERT_TRUE(run.plain() == plain) << in_step;
    }
  }
}

TEST(DeflateDecoderTest, AStreamThatIsCutGivesWhatIsThere) {
  const std::string plain = text_like(3'000);
  const std::string file = gzip_member(plain, {.memory_level = 1});
  for (std::size_t size = 10; size < file.size() - 8; ++size) {
    const std::string cut = file.substr(0, size);
    Decoding<std::uint8_t> whole(cut, plain.size());
    ASSERT_EQ(whole.go(cut.size(), SIZE_MAX / 4), DeflateEnd::input) << size;
    ASSERT_TRUE(plain.starts_with(whole.plain())) << size;
    ASSERT_LE(whole.bit, 8 * size);
  }
}

using Bits = testing::DeflateBits;

struct Wrong {
  std::string problem;
  std::uint64_t bit;
};
Wrong problem_of(const Bits& bits) {
  const std::string file = std::string(10, '\0') + bits.bytes() + std::string(20, '\0');
  Decoding<std::uint8_t> run(file, 10'000);
  EXPECT_EQ(run.go(file.size(), SIZE_MAX / 4), DeflateEnd::damage);
  return {run.problem(), run.bit - testing::kGzipHeaderBits};
}

TEST(DeflateDecoderTest, WhatIsWrongIsToldInZlibsWordsAndWhere) {
  EXPECT_EQ(problem_of(Bits().put(1, 1).put(3, 2)).problem, "invalid block type");
  EXPECT_EQ(problem_of(Bits().put(1, 1).put(0, 2).put(0, 5).put(5, 16).put(5, 16)).problem,
            "invalid stored block lengths");
  EXPECT_EQ(problem_of(Bits().put(1, 1).put(2, 2).put(30, 5).put(0, 5).put(0, 4)).problem,
            "too many length or distance symbols");
  EXPECT_EQ(problem_of(Bits().put(1, 1).put(2, 2).put(0, 5).put(30, 5).put(0, 4)).problem,
            "too many length or distance symbols");
  // All lengths of the code lengths' codes are zero.
  EXPECT_EQ(problem_of(Bits().put(1, 1).put(2, 2).put(0, 5).put(0, 5).put(15, 4)).problem,
            "invalid code lengths set");
  // Codes of one bit for 16 and 17: the first length is said to be that of the one before.
  EXPECT_EQ(
      problem_of(
          Bits().put(1, 1).put(2, 2).put(0, 5).put(0, 5).put(0, 4).put(1, 3).put(1, 3).put(0, 6).code(0, 1))
          .problem,
      "invalid bit length repeat");
  // In a block of fixed codes: a literal, then a length of 3 from 2 before, with one before.
  const Wrong far = problem_of(Bits().put(1, 1).put(1, 2).code(0x30 + 'a', 8).code(1, 7).code(1, 5));
  EXPECT_EQ(far.problem, "invalid distance too far back");
  EXPECT_EQ(far.bit, 11u);  // The literal before it is good.
  EXPECT_EQ(problem_of(Bits().put(1, 1).put(1, 2).code(0xC6, 8)).problem, "invalid literal/length code");
  EXPECT_EQ(problem_of(Bits().put(1, 1).put(1, 2).code(0x30, 8).code(1, 7).code(30, 5)).problem,
            "invalid distance code");
}

TEST(DeflateDecoderTest, AnEmptyStoredBlockAndTheLongestOne) {
  const std::string noise = testing::noise(0xFFFF);
  std::string file = std::string(10, '\0') + Bits().put(0, 3).put(0, 5).put(0, 16).put(0xFFFF, 16).bytes();
  file += std::string("\x01\xFF\xFF\0\0", 5) + noise;
  Decoding<std::uint8_t> run(file, noise.size());
  EXPECT_EQ(run.go(1000, 500), DeflateEnd::last_block);
  EXPECT_TRUE(run.plain() == noise);
  EXPECT_EQ(run.bit, 8 * file.size());
}

TEST(DeflateDecoderTest, APlaceThatWasNotSavedIsAnError) {
  base::BinaryWriter out;
  out.put(1);  // inside a block
  out.put(0);
  out.put(0);
  out.put(base::as_bytes("\xFF\xFF\xFF"));
  const auto bytes = out.take();
  base::BinaryReader in(bytes);
  DeflateDecoder decoder;
  EXPECT_THROW(decoder.restore(in), Error);
  base::BinaryReader nothing({});
  EXPECT_THROW(decoder.restore(nothing), Error);
}

TEST(DeflateDecoderTest, TheHeaderOfABlockIsKeptForAnotherDecoder) {
  const std::string plain = text_like(50'000);
  const std::string file = gzip_member(plain, {});
  DeflateDecoder decoder;
  std::vector<std::uint8_t> room(400);
  DeflateOutput<std::uint8_t> out{room.data(), room.data(), room.data() + room.size()};
  std::uint64_t bit = testing::kGzipHeaderBits;
  ASSERT_EQ(decoder.decode(base::as_bytes(file), bit, out), DeflateEnd::room);
  ASSERT_TRUE(decoder.inside_block());
  const auto header = decoder.header();
  EXPECT_EQ(header.first_bit, testing::kGzipHeaderBits % 8);
  EXPECT_EQ(header.bytes.size(), (header.end_bit + 7) / 8);
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(header.bytes.data()), header.bytes.size()),
            file.substr(testing::kGzipHeaderBits / 8, header.bytes.size()));
}

}  // namespace
}  // namespace shardmill::codec
