#include "base/hash/crc32.hpp"

#include <array>
#include <bit>
#include <cstring>

namespace shardmill::base {

namespace {

constexpr std::size_t kStride = 16;
using SliceTables = std::array<std::array<std::uint32_t, 256>, kStride>;

// kTables[k][b]: the addition of byte b to the state if k more bytes follow it.
constexpr SliceTables make_tables() {
  SliceTables tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t state = byte << 24;
    for (int bit = 0; bit < 8; ++bit) state = state << 1 ^ ((state >> 31) * 0x04c11db7U);
    tables[0][byte] = state;
  }
  for (std::size_t k = 1; k < kStride; ++k) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t state = tables[k - 1][byte];
      tables[k][byte] = state << 8 ^ tables[0][state >> 24];
    }
  }
  return tables;
}

constexpr SliceTables kTables = make_tables();

std::uint64_t load_big_endian64(const std::byte* bytes) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof word);
  return std::endian::native == std::endian::little ? __builtin_bswap64(word) : word;
}

std::uint32_t slice(std::uint64_t word, std::size_t bytes_behind) {
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < 8; ++i) sum ^= kTables[bytes_behind + i][word >> (8 * i) & 0xff];
  return sum;
}

}  // namespace

std::uint32_t update_crc32_portable(std::uint32_t state, std::span<const std::byte> bytes) {
  for (; bytes.size() >= kStride; bytes = bytes.subspan(kStride)) {
    const std::uint64_t high = load_big_endian64(bytes.data()) ^ std::uint64_t{state} << 32;
    state = slice(high, 8) ^ slice(load_big_endian64(bytes.data() + 8), 0);
  }
  for (const std::byte byte : bytes) {
    state = state << 8 ^ kTables[0][state >> 24 ^ std::to_integer<std::uint32_t>(byte)];
  }
  return state;
}

std::uint32_t update_crc32(VectorPath path, std::uint32_t state, std::span<const std::byte> bytes) {
#if defined(__x86_64__)
  if (path == VectorPath::avx2 || path == VectorPath::avx512) return update_crc32_avx2(state, bytes);
#endif
  (void)path;
  return update_crc32_portable(state, bytes);
}

}  // namespace shardmill::base
