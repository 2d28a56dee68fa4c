#include "base/hash/crc.hpp"

#include <array>
#include <bit>
#include <cstring>

#include "base/hash/hash.hpp"

namespace shardmill::base {

namespace {

#if defined(__x86_64__)
constexpr std::size_t kLeastForProducts = 64;

bool has_products(VectorPath path) {
  return path == VectorPath::avx2 || path == VectorPath::avx512;
}
#endif

constexpr std::size_t kStep = 8;
using CrcTables = std::array<std::array<std::uint64_t, 256>, kStep>;

constexpr CrcTables make_tables() {
  CrcTables tables{};
  for (std::uint64_t byte = 0; byte < 256; ++byte) {
    std::uint64_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? kCrc64Polynomial : 0);
    tables[0][byte] = crc;
  }
  for (std::size_t ahead = 1; ahead < kStep; ++ahead) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint64_t before = tables[ahead - 1][byte];
      tables[ahead][byte] = (before >> 8) ^ tables[0][before & 0xff];
    }
  }
  return tables;
}

constexpr CrcTables kCrcTables = make_tables();

/// The product of two polynomials, modulo that of the CRC. The highest bit is the power 0.
std::uint64_t product(std::uint64_t one, std::uint64_t two) noexcept {
  std::uint64_t sum = 0;
  for (; one != 0; one <<= 1) {
    if ((one >> 63) != 0) sum ^= two;
    two = (two >> 1) ^ ((two & 1) != 0 ? kCrc64Polynomial : 0);
  }
  return sum;
}

}  // namespace

std::uint64_t crc64_by_table(std::uint64_t crc, std::span<const std::byte> data) {
  while (data.size() >= kStep) {
    std::uint64_t word = 0;
    std::memcpy(&word, data.data(), kStep);
    static_assert(std::endian::native == std::endian::little);
    word ^= crc;
    crc = 0;
    for (std::size_t i = 0; i < kStep; ++i) crc ^= kCrcTables[kStep - 1 - i][(word >> (8 * i)) & 0xff];
    data = data.subspan(kStep);
  }
  for (const std::byte byte : data)
    crc = (crc >> 8) ^ kCrcTables[0][(crc ^ std::to_integer<std::uint64_t>(byte)) & 0xff];
  return crc;
}

std::uint64_t crc64(std::span<const std::byte> data, std::uint64_t before, VectorPath path) {
#if defined(__x86_64__)
  if (has_products(path) && data.size() >= kLeastForProducts) return ~crc64_avx2(~before, data);
#else
  static_cast<void>(path);
#endif
  return ~crc64_by_table(~before, data);
}

std::uint64_t crc64_joined(std::uint64_t first, std::uint64_t second, std::uint64_t second_bytes) noexcept {
  std::uint64_t shift = std::uint64_t{1} << 63;  // 1
  std::uint64_t power = std::uint64_t{1} << 55;  // x^8: one byte
  for (; second_bytes != 0; second_bytes >>= 1) {
    if ((second_bytes & 1) != 0) shift = product(shift, power);
    power = product(power, power);
  }
  return product(first, shift) ^ second;
}

std::string crc64_text(std::uint64_t crc) {
  std::array<std::byte, 8> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(crc >> (56 - 8 * i));
  return to_base64(bytes);
}

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
  if (has_products(path) && bytes.size() >= kLeastForProducts) return crc16_avx2(bytes);
#else
  static_cast<void>(path);
#endif
  return crc16_by_table(0, bytes);
}

}  // namespace shardmill::base
