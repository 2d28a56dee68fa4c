// Crc64: the checksum of whole objects in buckets (CRC-64/NVME). That of joined bytes follows from those of
// their parts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace shardmill::base {

/// CRC-64/NVME of `data`, after bytes whose CRC is `before`.
std::uint64_t crc64(std::span<const std::byte> data, std::uint64_t before = 0) noexcept;

/// That of bytes with the CRC `first`, followed by `second_bytes` bytes with the CRC `second`.
std::uint64_t crc64_joined(std::uint64_t first, std::uint64_t second, std::uint64_t second_bytes) noexcept;

/// As a server writes it: eight bytes, the highest first, in base 64.
std::string crc64_text(std::uint64_t crc);

}  // namespace shardmill::base
