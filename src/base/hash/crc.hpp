// Checksums: CRC-16 with the polynomial 0x8005, which FLAC writes at the end of each frame, and CRC-64/NVME,
// the checksum of whole objects in buckets: that of joined bytes follows from those of their parts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/system/vector_path.hpp"

namespace shardmill::base {

/// CRC-64/NVME of `data`, after bytes whose CRC is `before`.
std::uint64_t crc64(std::span<const std::byte> data, std::uint64_t before = 0,
                    VectorPath path = chosen_vector_path());

/// That of bytes with the CRC `first`, followed by `second_bytes` bytes with the CRC `second`.
std::uint64_t crc64_joined(std::uint64_t first, std::uint64_t second, std::uint64_t second_bytes) noexcept;

/// As a server writes it: eight bytes, the highest first, in base 64.
std::string crc64_text(std::uint64_t crc);

/// The CRC of bytes that end with their own CRC is 0.
std::uint16_t crc16(std::span<const std::byte> bytes, VectorPath path = chosen_vector_path());

/// For crc16() and its tests: continues `crc` over `bytes`, with tables.
std::uint16_t crc16_by_table(std::uint16_t crc, std::span<const std::byte> bytes);
/// The same with products of polynomials, for 64 bytes or more.
std::uint16_t crc16_avx2(std::span<const std::byte> bytes);

inline constexpr unsigned kCrc16Polynomial = 0x8005;  // without x^16

/// For crc64() and its tests: the same with products, of `state` and 64 bytes or more.
std::uint64_t crc64_avx2(std::uint64_t state, std::span<const std::byte> bytes);
std::uint64_t crc64_by_table(std::uint64_t state, std::span<const std::byte> bytes);

inline constexpr std::uint64_t kCrc64Polynomial = 0x9a6c9329ac4bc9b5;  // its lowest power is the highest bit

}  // namespace shardmill::base
