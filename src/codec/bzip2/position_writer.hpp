// PositionWriter: writes the move-to-front positions of a block, as entries of Huffman tables give them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "codec/bzip2/block.hpp"
#include "codec/bzip2/block_header.hpp"

namespace shardmill::codec {

// A run of zeros is coded as a number in base 2 with the digits 1 (RUNA) and 2 (RUNB), lowest digit first.
// All bytes are zero beforehand, so a digit only moves the place of writing, and no branch is needed.
struct PositionWriter {
  std::uint8_t* bytes;
  std::size_t count = 0;
  std::size_t weight_less_1 = 0;  // weight of the next digit, less 1

  /// Returns false if there is no room left.
  bool put(unsigned entry) {
    const auto run_mask = -static_cast<std::size_t>(entry >> HuffmanTable::kRunShift & 1);
    const std::size_t weight = (weight_less_1 & run_mask) + 1;
    bytes[count] = static_cast<std::uint8_t>(entry >> HuffmanTable::kPositionShift);
    count += weight << (entry >> HuffmanTable::kDoubleShift & 1);
    weight_less_1 = (2 * weight - 1) & run_mask;
    return count <= kBzip2MaxBlockBytes;
  }
};

/// Puts all entries, or as many as there is room for; then it returns false.
bool put_entries_avx512(PositionWriter& writer, std::span<const HuffmanTable::Entry> entries);

}  // namespace shardmill::codec
