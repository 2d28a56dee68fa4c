#include "base/hash/crc.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string_view>
#include <vector>

namespace shardmill::base {
namespace {

std::uint64_t crc_of(std::string_view text) {
  return crc64(std::as_bytes(std::span(text.data(), text.size())));
}

/// Bit by bit.
std::uint64_t slow_crc64(std::span<const std::byte> data) {
  std::uint64_t crc = ~std::uint64_t{0};
  for (const std::byte byte : data) {
    crc ^= std::to_integer<std::uint64_t>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0x9a6c9329ac4bc9b5 : 0);
  }
  return ~crc;
}

TEST(Crc64, OfTheUsualDigitsIsThePublishedOne) {
  EXPECT_EQ(crc_of("123456789"), 0xae8b14860a799888);
  EXPECT_EQ(crc_of(""), 0U);
}

TEST(Crc64, OfAnyBytesInAnyPartsIsThatBitByBit) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::byte> data(random() % 300);
    for (std::byte& byte : data) byte = static_cast<std::byte>(random());
    const std::uint64_t expected = slow_crc64(data);
    EXPECT_EQ(crc64(data), expected);
    const std::size_t cut = random() % (data.size() + 1);
    const auto first = std::span(data).first(cut);
    const auto second = std::span(data).subspan(cut);
    EXPECT_EQ(crc64(second, crc64(first)), expected);
    EXPECT_EQ(crc64_joined(crc64(first), crc64(second), second.size()), expected);
  }
}

TEST(Crc64, IsWrittenAsServersDo) {
  // python3: base64.b64encode(bytes.fromhex("ae8b14860a799888"))
  EXPECT_EQ(crc64_text(0xae8b14860a799888), "rosUhgp5mIg=");
  EXPECT_EQ(crc64_text(0), "AAAAAAAAAAA=");
}

}  // namespace
}  // namespace shardmill::base
