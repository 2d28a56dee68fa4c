#include <gtest/gtest.h>

#include <string>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "codec/codec.hpp"

namespace shardmill::codec {
namespace {

using namespace std::string_literals;

std::string unpacked(const std::string& block, std::size_t bytes) {
  std::string plain(bytes, '?');
  unpack_block(BlockForm::snappy, base::as_bytes(block), std::as_writable_bytes(std::span(plain)));
  return plain;
}

TEST(Snappy, LiteralsAndCopies) {
  EXPECT_EQ(unpacked("\0"s, 0), "");
  EXPECT_EQ(unpacked("\x03\x08"s + "abc", 3), "abc");
  // A copy that overlaps what it makes, with an offset in 1, 2 and 4 bytes.
  EXPECT_EQ(unpacked("\x0a\x04"s + "ab" + "\x11\x02"s, 10), "ababababab");
  EXPECT_EQ(unpacked("\x0a\x04"s + "ab" + "\x1e\x02\x00"s, 10), "ababababab");
  EXPECT_EQ(unpacked("\x0a\x04"s + "ab" + "\x1f\x02\x00\x00\x00"s, 10), "ababababab");
  // A literal whose length is in a byte of its own.
  const std::string text(100, 'x');
  EXPECT_EQ(unpacked("\x64\xf0\x63"s + text, 100), text);
}

TEST(Snappy, WhatIsDamaged) {
  EXPECT_THROW(unpacked("\x04\x08"s + "abc", 4), Error);               // a byte is missing
  EXPECT_THROW(unpacked("\x03\x08"s + "abc", 4), Error);               // another size than was wanted
  EXPECT_THROW(unpacked("\x03\x08"s + "ab", 3), Error);                // a literal beyond the end
  EXPECT_THROW(unpacked("\x06\x04"s + "ab" + "\x01\x03"s, 6), Error);  // from before the beginning
  EXPECT_THROW(unpacked("\x06\x04"s + "ab" + "\x01\x00"s, 6), Error);  // from nowhere
  EXPECT_THROW(unpacked("\x04\x04"s + "ab" + "\x05\x02"s, 4), Error);  // more than the block has
  EXPECT_THROW(unpacked("\xff\xff\xff\xff\xff"s, 3), Error);           // a size without an end
}

}  // namespace
}  // namespace shardmill::codec
