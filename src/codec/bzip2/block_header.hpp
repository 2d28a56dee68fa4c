// Finds bzip2 blocks, whose 48-bit magics may begin at any bit, and reads their headers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "codec/bzip2/bits.hpp"
#include "codec/bzip2/huffman.hpp"

namespace shardmill::codec {

/// The first bit, at `from_bit` or later, of a whole block magic in `bytes` (bit 0 is the top bit of byte 0).
/// Runs in one thread, at several GB/s.
std::optional<std::uint64_t> find_bzip2_block(std::span<const std::byte> bytes, std::uint64_t from_bit);

/// The same for the magic at the end of a stream.
std::optional<std::uint64_t> find_bzip2_end(std::span<const std::byte> bytes, std::uint64_t from_bit);

inline constexpr unsigned kBzip2MagicBits = 48;  // of a block, and of the end of a stream
inline constexpr unsigned kBzip2CrcBits = 32;
inline constexpr unsigned kBzip2MaxTables = 6;
inline constexpr unsigned kBzip2MaxSelectors = 18002;  // a block may store more, which are never used

/// The part of a block before its symbols.
struct Bzip2BlockHeader {
  std::uint32_t crc;
  bool randomised;
  std::uint32_t origin;
  unsigned symbols_used;  // the number of different bytes in the block
  std::array<std::uint8_t, 256> used;
  unsigned tables_count;
  unsigned selectors_count;
  std::array<HuffmanTable, kBzip2MaxTables> tables;
  std::array<std::uint8_t, kBzip2MaxSelectors + 1> selectors;
};

/// Reads a block header, including its magic. Returns the problem, or an empty text if the header is good.
/// Bits after the end of the input are zero; bits.past_end() is then true.
std::string_view read_block_header(BitReader& bits, Bzip2BlockHeader& header);

}  // namespace shardmill::codec
