// Finds the 48-bit magics of bzip2, which may begin at any bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace shardmill::codec {

/// The first bit, at `from_bit` or later, where a whole block magic begins in `bytes` (bit 0 is the top bit
/// of byte 0). Runs in one thread, at several GB/s.
std::optional<std::uint64_t> find_bzip2_block(std::span<const std::byte> bytes, std::uint64_t from_bit);

/// The same for the magic at the end of a stream.
std::optional<std::uint64_t> find_bzip2_end(std::span<const std::byte> bytes, std::uint64_t from_bit);

}  // namespace shardmill::codec
