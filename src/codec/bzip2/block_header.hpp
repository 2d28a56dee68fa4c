// What a bzip2 block says before its symbols.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "codec/bzip2/bits.hpp"
#include "codec/bzip2/huffman.hpp"

namespace shardmill::codec {

inline constexpr unsigned kBzip2MagicBits = 48;  // of a block, and of the end of a stream
inline constexpr unsigned kBzip2CrcBits = 32;
inline constexpr unsigned kBzip2MaxTables = 6;
inline constexpr unsigned kBzip2MaxSelectors = 18002;  // a block may store more, which are never used

struct Bzip2BlockHeader {
  std::uint32_t crc;
  bool randomised;
  std::uint32_t origin;
  unsigned symbols_used;  // how many different bytes the block has
  std::array<std::uint8_t, 256> used;
  unsigned tables_count;
  unsigned selectors_count;
  std::array<HuffmanTable, kBzip2MaxTables> tables;
  std::array<std::uint8_t, kBzip2MaxSelectors + 1> selectors;
};

/// Reads a block header, beginning with its magic. Returns the problem; empty when there is none. Bits after
/// the end read as zero: ask bits.past_end().
std::string_view read_block_header(BitReader& bits, Bzip2BlockHeader& header);

}  // namespace shardmill::codec
