#include "codec/bzip2/block.hpp"

#include <bzlib.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "base/system/vector_path.hpp"
#include "codec/bzip2/bits.hpp"
#include "codec/bzip2_oracle.hpp"
#include "stride.hpp"

extern "C" int BZ2_rNums[512];  // libbz2's own table, which its shared library shows

namespace shardmill::codec {
namespace {

/// What libbz2 does with a byte at a time (BZ_RAND_UPD_MASK in its bzlib_private.h).
std::vector<std::byte> toggled_by_libbz2(std::vector<std::byte> block) {
  int to_go = 0;
  int place = 0;
  for (std::byte& byte : block) {
    if (to_go == 0) {
      to_go = BZ2_rNums[place];
      place = (place + 1) % 512;
    }
    if (--to_go == 1) byte ^= std::byte{1};
  }
  return block;
}

TEST(Randomisation, IsThatOfLibbz2InBlocksOfAnySize) {
  // All sizes up to the third place, and the largest, which goes through the table more than three times.
  for (std::size_t size = 0; size <= 1500; ++size) {
    std::vector<std::byte> block(size, std::byte{0x40});
    const auto expected = toggled_by_libbz2(block);
    toggle_randomisation(block);
    ASSERT_TRUE(block == expected) << size;
  }
  std::vector<std::byte> largest(900'000, std::byte{0xff});
  const auto expected = toggled_by_libbz2(largest);
  toggle_randomisation(largest);
  EXPECT_TRUE(largest == expected);
}

TEST(Randomisation, TwiceChangesNothing) {
  std::vector<std::byte> block(100'000);
  toggle_randomisation(block);
  toggle_randomisation(block);
  EXPECT_TRUE(block == std::vector<std::byte>(100'000));
}

}  // namespace
}  // namespace shardmill::codec

namespace shardmill::codec {

namespace {

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

std::string compress(const std::string& plain, int level) {
  auto size = static_cast<unsigned>(plain.size() + plain.size() / 50 + 1000);
  std::string packed(size, '\0');
  std::string copy = plain;
  EXPECT_EQ(BZ2_bzBuffToBuffCompress(packed.data(), &size, copy.data(), static_cast<unsigned>(plain.size()),
                                     level, 0, 0),
            BZ_OK);
  packed.resize(size);
  return packed;
}

// The oracle: what libbz2 makes of one stream, nothing when it rejects it.
std::optional<std::string> oracle(std::string packed) {
  bz_stream stream{};
  EXPECT_EQ(BZ2_bzDecompressInit(&stream, 0, 0), BZ_OK);
  stream.next_in = packed.data();
  stream.avail_in = static_cast<unsigned>(packed.size());
  std::string plain;
  std::vector<char> chunk(1 << 16);
  int code = BZ_OK;
  while (code == BZ_OK) {
    stream.next_out = chunk.data();
    stream.avail_out = static_cast<unsigned>(chunk.size());
    code = BZ2_bzDecompress(&stream);
    const std::size_t got = chunk.size() - stream.avail_out;
    plain.append(chunk.data(), got);
    if (code == BZ_OK && got == 0 && stream.avail_in == 0) break;
  }
  BZ2_bzDecompressEnd(&stream);
  if (code != BZ_STREAM_END) return std::nullopt;
  return plain;
}

std::string expand(const Bzip2Block& block, std::size_t step, base::VectorPath path, std::uint32_t& crc) {
  Bzip2RunExpander expander(block.runs, path);
  std::string plain;
  std::string chunk(step, '\0');
  std::size_t got = step;
  while (got == step) {
    got = expander.expand(std::as_writable_bytes(std::span(chunk)));
    plain.append(chunk, 0, got);
  }
  crc = expander.crc();
  return plain;
}

struct Subject {
  base::VectorPath path;
  Bzip2BlockDecoder decoder;
};

// The same stream through the decoder under test.
std::optional<std::string> decode_stream(const std::string& packed, Subject& subject,
                                         std::size_t step = 1 << 16) {
  BitReader bits(bytes_of(packed), 0);
  if (bits.take(24) != 0x425a68) return std::nullopt;
  const std::uint64_t level = bits.take(8) - '0';
  if (level < 1 || level > 9) return std::nullopt;
  std::string plain;
  std::uint32_t stream_crc = 0;
  Bzip2Block block;
  while (true) {
    BitReader magic = bits;
    if (magic.take(48) == kBzip2EndMagic) {
      const bool good = magic.take(32) == stream_crc && !magic.past_end();
      return good ? std::optional(plain) : std::nullopt;
    }
    subject.decoder.decode({.input = bytes_of(packed), .start_bit = bits.position()}, block);
    if (block.state != Bzip2Block::State::good) return std::nullopt;
    if (block.runs.size() > level * 100'000) return std::nullopt;
    std::uint32_t crc = 0;
    plain += expand(block, step, subject.path, crc);
    if (crc != block.stored_crc) return std::nullopt;
    stream_crc = (stream_crc << 1 | stream_crc >> 31) ^ crc;
    bits = BitReader(bytes_of(packed), block.end_bit);
  }
}

std::string random_bytes(std::size_t size, unsigned symbols, unsigned seed) {
  std::mt19937 random(seed);
  std::string bytes(size, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random() % symbols);
  return bytes;
}

std::string speech(std::size_t size, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> noise(0, 300);
  std::string bytes;
  double value = 0;
  while (bytes.size() < size) {
    value = value * 0.95 + noise(random);
    const int sample = static_cast<int>(value);
    bytes += static_cast<char>(sample & 0xff);
    bytes += static_cast<char>(sample >> 8 & 0xff);
  }
  return bytes;
}

std::string text(std::size_t size, unsigned seed) {
  std::mt19937 random(seed);
  std::string words;
  while (words.size() < size) {
    const auto word = static_cast<unsigned>(random() % 2000);
    std::mt19937 spelling(word);
    for (unsigned i = 0; i < 2 + word % 8; ++i) words += static_cast<char>('a' + spelling() % 26);
    words += word % 50 == 0 ? "\n" : " ";
  }
  return words;
}

std::string repeated(const std::string& unit, std::size_t size) {
  std::string bytes;
  while (bytes.size() < size) bytes += unit;
  return bytes;
}

std::vector<std::string> samples() {
  std::string all;
  for (int i = 0; i < 256; ++i) all += static_cast<char>(i);
  return {
      "",
      "a",
      "ab",
      "aaaa",
      "aaaaa",
      std::string(1000, 'x'),
      text(300'000, 1),
      speech(1'000'000, 2),
      std::string(3'000'000, '\0'),
      random_bytes(950'000, 256, 3),
      random_bytes(200'000, 2, 4),
      random_bytes(200'000, 255, 5),
      repeated("ab", 400'000),
      repeated("abc", 99'999),
      repeated(all, 65'536),
      repeated("aaaab", 50'000),
      all,
      std::string(all.rbegin(), all.rend()) + all,
  };
}

class Bzip2BlockTest : public ::testing::TestWithParam<base::VectorPath> {
 protected:
  /// Where some bits are left out, each path tries others.
  static std::size_t first_bit(std::size_t bit) {
    return bit + static_cast<std::size_t>(GetParam()) % shardmill::testing::kStride;
  }

  Subject subject{.path = GetParam(), .decoder = Bzip2BlockDecoder(GetParam())};
};

INSTANTIATE_TEST_SUITE_P(Paths, Bzip2BlockTest, ::testing::ValuesIn(base::available_vector_paths()),
                         [](const auto& path) { return std::string(name(path.param)); });

TEST_P(Bzip2BlockTest, AgreesWithLibbz2AtEveryLevel) {
  for (const std::string& plain : samples()) {
    for (const int level : {1, 5, 9}) {
      const auto decoded = decode_stream(compress(plain, level), subject);
      ASSERT_TRUE(decoded.has_value()) << plain.size();
      EXPECT_TRUE(*decoded == plain) << plain.size();
    }
  }
}

TEST_P(Bzip2BlockTest, ExpandsInStepsOfAnySize) {
  const std::string plain = repeated(std::string(300, 'a') + "bcc" + std::string(4, 'd') + "ddddd", 20'000);
  for (const std::size_t step : {1U, 2U, 3U, 7U, 64U, 255U, 100'000U}) {
    EXPECT_TRUE(decode_stream(compress(plain, 9), subject, step) == plain) << step;
  }
}

TEST_P(Bzip2BlockTest, AgreesWithLibbz2OnFlippedBits) {
  for (const std::string& plain : {std::string("hello, hello, hello"), text(700, 7), speech(900, 8)}) {
    const std::string packed = compress(plain, 9);
    for (std::size_t bit = first_bit(32); bit < packed.size() * 8; bit += shardmill::testing::kStride) {
      std::string damaged = packed;
      damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (0x80 >> bit % 8));
      ASSERT_TRUE(decode_stream(damaged, subject) == oracle(damaged)) << bit;
    }
  }
}

// The block at bit 32 as a whole stream with the checksums that its bytes call for; nothing when it is
// damaged.
std::optional<std::string> with_right_checksums(std::string packed, Subject& subject) {
  Bzip2Block block;
  subject.decoder.decode({.input = bytes_of(packed), .start_bit = 32}, block);
  if (block.state != Bzip2Block::State::good) return std::nullopt;
  std::uint32_t crc = 0;
  expand(block, 1 << 16, subject.path, crc);
  packed.resize((block.end_bit + 80 + 7) / 8);
  testing::put_bits(packed, 80, crc, 32);
  testing::put_bits(packed, block.end_bit, kBzip2EndMagic, 48);
  testing::put_bits(packed, block.end_bit + 48, crc, 32);
  return packed;
}

TEST_P(Bzip2BlockTest, AgreesWithLibbz2OnFlippedBitsWhoseChecksumsFit) {
  std::size_t good = 0;
  for (const std::string& plain : {std::string("hello, hello, hello"), text(300, 7), speech(500, 8)}) {
    const std::string packed = compress(plain, 9);
    for (std::size_t bit = first_bit(112); bit < packed.size() * 8 - 80; bit += shardmill::testing::kStride) {
      std::string damaged = packed;
      testing::put_bits(damaged, bit, BitReader(bytes_of(packed), bit).take(1) ^ 1, 1);
      const auto whole = with_right_checksums(damaged, subject);
      if (!whole) continue;
      ++good;
      ASSERT_TRUE(decode_stream(*whole, subject) == oracle(*whole)) << bit;
    }
  }
  EXPECT_GT(good, 100U / shardmill::testing::kStride);
}

TEST_P(Bzip2BlockTest, UndoesRandomisation) {
  std::string packed = compress(text(200'000, 10), 9);
  testing::put_bits(packed, 112, 1, 1);
  const auto whole = with_right_checksums(packed, subject);
  ASSERT_TRUE(whole.has_value());
  const auto expected = oracle(*whole);
  ASSERT_TRUE(expected.has_value());
  EXPECT_TRUE(decode_stream(*whole, subject) == expected);
}

TEST_P(Bzip2BlockTest, IgnoresSelectorsBeyondThoseThatCanBeUsed) {
  const std::string packed = compress(text(5'000, 11), 9);
  std::string out = packed + std::string(5'000, '\0');
  BitReader bits(bytes_of(packed), 32 + 48 + 32 + 1 + 24);
  const auto rows = static_cast<std::uint16_t>(bits.take(16));
  bits.skip(16U * static_cast<unsigned>(std::popcount(rows)) + 3);
  std::uint64_t position = bits.position();
  const std::uint64_t selectors = bits.take(15);
  testing::put_bits(out, position, 32'000, 15);
  position += 15;
  const auto copy_bit = [&] {
    const std::uint64_t bit = bits.take(1);
    testing::put_bits(out, position++, bit, 1);
    return bit;
  };
  for (std::uint64_t i = 0; i < selectors; ++i) {
    while (copy_bit() != 0) continue;
  }
  for (std::uint64_t i = selectors; i < 32'000; ++i) testing::put_bits(out, position++, 0, 1);
  while (!bits.past_end()) copy_bit();
  const auto expected = oracle(out);
  ASSERT_TRUE(expected.has_value());
  EXPECT_TRUE(decode_stream(out, subject) == expected);
}

TEST_P(Bzip2BlockTest, SaysTruncatedWhereverTheInputEnds) {
  const std::string packed = compress(text(3'000, 9), 9);
  Bzip2Block block;
  subject.decoder.decode({.input = bytes_of(packed), .start_bit = 32}, block);
  ASSERT_EQ(block.state, Bzip2Block::State::good);
  for (std::size_t size = 4; size < (block.end_bit + 7) / 8; ++size) {
    const std::vector<std::byte> part(bytes_of(packed).begin(),
                                      bytes_of(packed).begin() + static_cast<long>(size));
    Bzip2Block cut;
    subject.decoder.decode({.input = part, .start_bit = 32}, cut);
    ASSERT_EQ(cut.state, Bzip2Block::State::truncated) << size;
  }
}

void expect_equal(const Bzip2Block& block, const Bzip2Block& expected) {
  ASSERT_EQ(block.state, expected.state);
  ASSERT_EQ(block.problem, expected.problem);
  ASSERT_EQ(block.end_bit, expected.end_bit);
  if (expected.state != Bzip2Block::State::good) return;
  ASSERT_EQ(block.stored_crc, expected.stored_crc);
  ASSERT_TRUE(block.runs == expected.runs);
}

// Whole blocks, cut ones, and ones with a flipped bit anywhere.
std::vector<std::string> sound_and_damaged_blocks() {
  std::mt19937 random(12);
  std::vector<std::string> blocks;
  for (const std::string& plain :
       {text(20'000, 1), speech(30'000, 2), std::string(700'000, 'a'), text(40, 3)}) {
    const std::string packed = compress(plain, 9);
    blocks.push_back(packed);
    for (int i = 0; i < 8; ++i) {
      std::string damaged = packed;
      damaged[4 + random() % (packed.size() - 4)] ^= static_cast<char>(1U << random() % 8);
      blocks.push_back(damaged);
      blocks.push_back(packed.substr(0, 4 + random() % (packed.size() - 4)));
    }
  }
  return blocks;
}

TEST_P(Bzip2BlockTest, TwoBlocksAtOnceAreWhatEachIsAlone) {
  const std::vector<std::string> blocks = sound_and_damaged_blocks();
  std::vector<Bzip2Block> alone(blocks.size());
  for (std::size_t i = 0; i < blocks.size(); ++i)
    subject.decoder.decode({.input = bytes_of(blocks[i]), .start_bit = 32}, alone[i]);
  Bzip2Block first;
  Bzip2Block second;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    for (std::size_t j = i % 3; j < blocks.size(); j += 3) {
      subject.decoder.decode({.input = bytes_of(blocks[i]), .start_bit = 32}, first,
                             {.input = bytes_of(blocks[j]), .start_bit = 32}, second);
      ASSERT_NO_FATAL_FAILURE(expect_equal(first, alone[i])) << i << " with " << j;
      ASSERT_NO_FATAL_FAILURE(expect_equal(second, alone[j])) << j << " with " << i;
    }
  }
}

}  // namespace

}  // namespace shardmill::codec
