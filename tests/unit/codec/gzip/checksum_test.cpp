#include "codec/gzip/checksum.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include "base/io/file.hpp"
#include "codec/codec_files.hpp"

namespace shardmill::codec {
namespace {

std::uint32_t by_zlib(std::string_view text) {
  return static_cast<std::uint32_t>(
      crc32(0, reinterpret_cast<const Bytef*>(text.data()), static_cast<uInt>(text.size())));
}

TEST(GzipChecksum, TheCheckValueOfCrc32) {
  EXPECT_EQ(gzip_crc(0, base::as_bytes("123456789")), 0xCBF43926u);
  EXPECT_EQ(gzip_crc(0, {}), 0u);
  EXPECT_EQ(gzip_crc(0x12345678, {}), 0x12345678u);
  EXPECT_EQ(plain_gzip_crc(0x12345678, {}), 0x12345678u);
}

TEST(GzipChecksum, IsThatOfZlibForAnyLengthAndPlace) {
  const std::string data = testing::noise(3000);
  for (std::uint32_t begin = 0; begin < 17; ++begin) {
    for (std::size_t size = 0; size < 300; ++size) {
      const auto part = std::string_view(data).substr(begin, size);
      ASSERT_EQ(gzip_crc(0, base::as_bytes(part)), by_zlib(part)) << begin << ", " << size;
      ASSERT_EQ(plain_gzip_crc(begin, base::as_bytes(part)), gzip_crc(begin, base::as_bytes(part)));
    }
    EXPECT_EQ(gzip_crc(0, base::as_bytes(std::string_view(data).substr(begin))), by_zlib(data.substr(begin)));
  }
}

TEST(GzipChecksum, GoesOnAndJoinsAtAnyPlace) {
  const std::string_view data = "what comes first, and what comes behind it";
  const std::uint32_t whole = by_zlib(data);
  for (std::size_t cut = 0; cut <= data.size(); ++cut) {
    const std::uint32_t first = gzip_crc(0, base::as_bytes(data.substr(0, cut)));
    const auto behind = base::as_bytes(data.substr(cut));
    EXPECT_EQ(gzip_crc(first, behind), whole) << cut;
    EXPECT_EQ(joined_gzip_crc(first, gzip_crc(0, behind), behind.size()), whole) << cut;
  }
}

TEST(GzipChecksum, JoinsStretchesOfMoreThanFourGibibytes) {
  // Doubled again and again: the checksum of 8 GiB from that of one MiB.
  const std::string mebibyte(std::size_t{1} << 20, 'x');
  std::uint32_t crc = gzip_crc(0, base::as_bytes(mebibyte));
  std::uint64_t bytes = mebibyte.size();
  const std::uint32_t first = crc;
  for (; bytes < std::uint64_t{8} << 30; bytes *= 2) crc = joined_gzip_crc(crc, crc, bytes);
  // However it is put together, it is the same.
  EXPECT_EQ(joined_gzip_crc(first, crc, bytes), joined_gzip_crc(crc, first, mebibyte.size()));
}

}  // namespace
}  // namespace shardmill::codec
