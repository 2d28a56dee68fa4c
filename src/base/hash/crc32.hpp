// The CRC-32 of bzip2 and Ogg: polynomial 0x04c11db7, top bit first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/system/vector_path.hpp"

namespace shardmill::base {

/// Adds `bytes` to `state`. That of bzip2 starts as 0xffffffff and is inverted at the end; that of Ogg starts
/// as 0 and stays as it is.
std::uint32_t update_crc32(VectorPath path, std::uint32_t state, std::span<const std::byte> bytes);

// With table lookups, and with carry-less multiplication.
std::uint32_t update_crc32_portable(std::uint32_t state, std::span<const std::byte> bytes);
std::uint32_t update_crc32_avx2(std::uint32_t state, std::span<const std::byte> bytes);

}  // namespace shardmill::base
