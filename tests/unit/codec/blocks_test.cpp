#include "codec/blocks.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "codec/codec_files.hpp"
#include "support/bytes.hpp"
#include "support/command_output.hpp"

namespace shardmill::codec {
namespace {

using testing::text_like;
using testing::through;

std::string unpacked(BlockForm form, const std::string& packed, std::size_t bytes) {
  Bytes plain(bytes);
  unpack_block(form, shardmill::testing::bytes_of(packed), plain);
  return shardmill::testing::text_of(plain);
}

TEST(Blocks, SnappyByItsDescription) {
  using namespace std::string_literals;
  EXPECT_EQ(unpacked(BlockForm::snappy, "\x00"s, 0), "");
  EXPECT_EQ(unpacked(BlockForm::snappy, "\x03\x08"s + "abc", 3), "abc");
  // A literal whose length takes a byte of its own: 60 means one more byte, and the length less one.
  EXPECT_EQ(unpacked(BlockForm::snappy, "\x46\xf0\x45"s + std::string(70, 'x'), 70), std::string(70, 'x'));
  // Copies with offsets of one, two and four bytes; the first repeats what it writes itself.
  EXPECT_EQ(unpacked(BlockForm::snappy, "\x0a\x04"s + "ab" + "\x11\x02"s, 10), "ababababab");
  EXPECT_EQ(unpacked(BlockForm::snappy, "\x06\x08"s + "abc" + "\x0a\x03\x00"s, 6), "abcabc");
  EXPECT_EQ(unpacked(BlockForm::snappy, "\x06\x08"s + "abc" + "\x0b\x03\x00\x00\x00"s, 6), "abcabc");
  // A long copy in steps, far from the end.
  const std::string long_copy =
      "\xa0\x01\x24"s + "0123456789" + "\xfe\x0a\x00"s + "\xfe\x0a\x00"s + "\x56\x0a\x00"s;
  std::string expected;
  for (std::size_t i = 0; i < 160; ++i) expected += static_cast<char>('0' + i % 10);
  EXPECT_EQ(unpacked(BlockForm::snappy, long_copy, 160), expected);
}

TEST(Blocks, DamagedSnappyIsNoted) {
  using namespace std::string_literals;
  const std::string good = "\x0a\x04"s + "ab" + "\x11\x02"s;
  for (std::size_t size = 0; size < good.size(); ++size)
    EXPECT_THROW(unpacked(BlockForm::snappy, good.substr(0, size), 10), Error) << size;
  EXPECT_THROW(unpacked(BlockForm::snappy, good, 9), Error);
  EXPECT_THROW(unpacked(BlockForm::snappy, good + "\x00"s, 10), Error);
  EXPECT_THROW(unpacked(BlockForm::snappy, "\x0a\x04"s + "ab" + "\x11\x03"s, 10), Error);  // before the start
  EXPECT_THROW(unpacked(BlockForm::snappy, "\x0a\x04"s + "ab" + "\x11\x00"s, 10), Error);
  EXPECT_THROW(unpacked(BlockForm::snappy, "\x0a\xfc\xff\xff\xff\xff"s, 10), Error);
}

TEST(Blocks, OfTheProgramsOfTheCodecs) {
  const std::string plain = text_like(300'000);
  EXPECT_TRUE(unpacked(BlockForm::gzip, through("gzip -c", plain), plain.size()) == plain);
  EXPECT_TRUE(unpacked(BlockForm::zstd, through("zstd -qc", plain), plain.size()) == plain);
  const std::string twice = through("gzip -c", plain) + through("gzip -c", plain);
  EXPECT_TRUE(unpacked(BlockForm::gzip, twice, 2 * plain.size()) == plain + plain);
  for (const BlockForm form : {BlockForm::gzip, BlockForm::zstd}) {
    const std::string packed = through(form == BlockForm::gzip ? "gzip -c" : "zstd -qc", plain);
    EXPECT_THROW(unpacked(form, packed.substr(0, packed.size() - 9), plain.size()), Error);
    EXPECT_THROW(unpacked(form, packed, plain.size() - 1), Error);
    EXPECT_THROW(unpacked(form, packed, plain.size() + 1), Error);
    EXPECT_LE(plain.size(), most_plain_bytes(form, packed.size()));
  }
}

TEST(Blocks, Lz4WithoutFrames) {
  using namespace std::string_literals;
  // Two literals, a match of eight bytes two back, and literals at the end.
  const std::string packed = "\x24"s + "ab" + "\x02\x00\x50"s + "cdefg";
  EXPECT_EQ(unpacked(BlockForm::lz4, packed, 15),
            "ababababab"
            "cdefg");
  EXPECT_THROW(unpacked(BlockForm::lz4, packed, 16), Error);
  EXPECT_THROW(unpacked(BlockForm::lz4, packed.substr(0, 4), 15), Error);
}

}  // namespace
}  // namespace shardmill::codec
