// The CRC-32 of bzip2: polynomial 0x04c11db7, top bit first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/system/vector_path.hpp"

namespace shardmill::codec {

/// Adds `bytes` to `state`, which starts as 0xffffffff and is inverted at the end.
std::uint32_t update_bzip2_crc(base::VectorPath path, std::uint32_t state, std::span<const std::byte> bytes);

// With table lookups, and with carry-less multiplication.
std::uint32_t update_bzip2_crc_portable(std::uint32_t state, std::span<const std::byte> bytes);
std::uint32_t update_bzip2_crc_avx2(std::uint32_t state, std::span<const std::byte> bytes);

}  // namespace shardmill::codec
