// The CRC-32 of bzip2: polynomial 0x04c11db7, top bit first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace shardmill::codec {

/// Continues `state`, which starts as 0xffffffff and is inverted at the end.
std::uint32_t update_bzip2_crc(std::uint32_t state, std::span<const std::byte> bytes);

}  // namespace shardmill::codec
