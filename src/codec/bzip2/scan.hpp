// Finds the 48-bit magics of bzip2, which begin at any bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace shardmill::codec {

/// The first bit, not before `from_bit`, where a whole block magic stands in `bytes` (bit 0 is the top bit of
/// byte 0). Serial by nature and fast: several GB/s.
std::optional<std::uint64_t> find_bzip2_block(std::span<const std::byte> bytes, std::uint64_t from_bit);

/// The same for the magic at the end of a stream.
std::optional<std::uint64_t> find_bzip2_end(std::span<const std::byte> bytes, std::uint64_t from_bit);

}  // namespace shardmill::codec
