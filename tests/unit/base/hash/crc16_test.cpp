#include <gtest/gtest.h>

#include <span>

#include "base/hash/crc.hpp"
#include "support/bytes.hpp"

namespace shardmill::base {
namespace {

using shardmill::testing::random_bytes;

/// Bit by bit.
std::uint16_t slow_crc(std::span<const std::byte> bytes) {
  unsigned crc = 0;
  for (const std::byte byte : bytes) {
    crc ^= std::to_integer<unsigned>(byte) << 8;
    for (int bit = 0; bit < 8; ++bit) crc = (crc << 1) ^ ((crc & 0x8000) != 0 ? 0x18005U : 0U);
  }
  return static_cast<std::uint16_t>(crc);
}

TEST(Crc16Test, TheCheckValueOfTheCatalogue) {
  constexpr std::string_view kDigits = "123456789";  // CRC-16/UMTS
  EXPECT_EQ(crc16(std::as_bytes(std::span(kDigits))), 0xfee8);
}

TEST(Crc16Test, EveryPathGivesTheSameForEveryLength) {
  const auto bytes = random_bytes(1000);
  for (const VectorPath path : available_vector_paths()) {
    for (std::size_t length = 0; length <= bytes.size(); length += length < 300 ? 1 : 37) {
      const auto some = std::span(bytes).last(length);
      ASSERT_EQ(crc16(some, path), slow_crc(some)) << name(path) << ", " << length;
    }
  }
}

TEST(Crc16Test, BytesWithTheirOwnCrcComeToNothing) {
  auto bytes = random_bytes(300);
  const std::uint16_t crc = crc16(bytes);
  bytes.push_back(static_cast<std::byte>(crc >> 8));
  bytes.push_back(static_cast<std::byte>(crc));
  EXPECT_EQ(crc16(bytes), 0);
}

}  // namespace
}  // namespace shardmill::base
