// CRC-16 with the polynomial 0x8005, which FLAC writes at the end of each frame.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/system/vector_path.hpp"

namespace shardmill::base {

/// The CRC of bytes that end with their own CRC is 0.
std::uint16_t crc16(std::span<const std::byte> bytes, VectorPath path = chosen_vector_path());

/// For crc16() and its tests: continues `crc` over `bytes`, with tables.
std::uint16_t crc16_by_table(std::uint16_t crc, std::span<const std::byte> bytes);
/// The same with products of polynomials, for 64 bytes or more.
std::uint16_t crc16_avx2(std::span<const std::byte> bytes);

inline constexpr unsigned kCrc16Polynomial = 0x8005;  // without x^16

}  // namespace shardmill::base
