#include "base/hash/crc16.hpp"

#include <array>

namespace shardmill::base {

namespace {

constexpr std::size_t kSlices = 8;

/// [k][byte]: the addition of a byte if k more bytes follow it.
using Tables = std::array<std::array<std::uint16_t, 256>, kSlices>;

constexpr Tables made_tables() {
  Tables tables{};
  for (unsigned i = 0; i < 256; ++i) {
    unsigned crc = i << 8;
    for (int bit = 0; bit < 8; ++bit) crc = (crc << 1) ^ ((crc & 0x8000) != 0 ? kCrc16Polynomial : 0U);
    tables[0][i] = static_cast<std::uint16_t>(crc);
  }
  for (std::size_t k = 1; k < kSlices; ++k) {
    for (unsigned i = 0; i < 256; ++i) {
      const unsigned before = tables[k - 1][i];
      tables[k][i] = static_cast<std::uint16_t>((before << 8) ^ tables[0][before >> 8]);
    }
  }
  return tables;
}

}  // namespace

std::uint16_t crc16_by_table(std::uint16_t before, std::span<const std::byte> bytes) {
  unsigned crc = before;
  static constexpr Tables kTables = made_tables();
  const auto at = [&](std::size_t i) { return std::to_integer<unsigned>(bytes[i]); };
  while (bytes.size() >= kSlices) {
    unsigned next = kTables[7][at(0) ^ crc >> 8] ^ kTables[6][at(1) ^ (crc & 0xff)];
    for (std::size_t i = 2; i < kSlices; ++i) next ^= kTables[kSlices - 1 - i][at(i)];
    crc = next;
    bytes = bytes.subspan(kSlices);
  }
  for (const std::byte byte : bytes)
    crc = (crc << 8 & 0xffff) ^ kTables[0][crc >> 8 ^ std::to_integer<unsigned>(byte)];
  return static_cast<std::uint16_t>(crc);
}

std::uint16_t crc16(std::span<const std::byte> bytes, VectorPath path) {
#if defined(__x86_64__)
  constexpr std::size_t kLeast = 64;
  const bool has_products = path == VectorPath::avx2 || path == VectorPath::avx512;
  if (has_products && bytes.size() >= kLeast) return crc16_avx2(bytes);
#else
  static_cast<void>(path);
#endif
  return crc16_by_table(0, bytes);
}

}  // namespace shardmill::base
