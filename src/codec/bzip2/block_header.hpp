// Finds bzip2 blocks, whose 48-bit magics may begin at any bit, and reads their headers with the Huffman
// codes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "codec/bzip2/bits.hpp"

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

inline constexpr unsigned kBzip2MaxCodeBits = 20;
inline constexpr unsigned kBzip2MaxSymbols = 258;

/// A prefix code, decoded like libbz2, even if it has too many or too few codes.
class HuffmanTable {
 public:
  static constexpr unsigned kLookupBits = 11;

  // An entry of the lookup table. The low six bits hold the length of the code, so that the entry can be used
  // as a shift count directly.
  static constexpr unsigned kRunShift = 6;       // 1: RUNA or RUNB
  static constexpr unsigned kDoubleShift = 7;    // 1: RUNB
  static constexpr unsigned kPositionShift = 8;  // move-to-front position, for all other symbols
  using Entry = std::uint16_t;                   // 0: the code is longer, ends the block or is not valid

  struct Symbol {
    unsigned value;
    unsigned bits;  // 0 if no code fits
  };

  static Entry entry_of(unsigned symbol, unsigned bits) noexcept;

  /// `lengths` are 1 to 20. The last symbol ends the block.
  void build(std::span<const std::uint8_t> lengths);

  Entry look_up(std::uint64_t window) const noexcept { return lookup_[window >> (64 - kLookupBits)]; }
  Symbol search(std::uint64_t window) const noexcept;

 private:
  void fill_lookup(std::span<const std::uint8_t> lengths);

  std::array<Entry, std::size_t{1} << kLookupBits> lookup_;
  /// For each code length: the first 20-bit window above all codes of that length.
  std::array<std::uint32_t, kBzip2MaxCodeBits + 1> limit_;
  std::array<std::uint32_t, kBzip2MaxCodeBits + 1> first_code_;
  std::array<std::uint16_t, kBzip2MaxCodeBits + 1> first_index_;
  std::array<std::uint16_t, kBzip2MaxSymbols> symbols_;  // in the order of their codes
};

inline HuffmanTable::Entry HuffmanTable::entry_of(unsigned symbol, unsigned bits) noexcept {
  constexpr unsigned kRunB = 1;
  const unsigned meaning =
      symbol <= kRunB ? 1U << kRunShift | symbol << kDoubleShift : (symbol - 1) << kPositionShift;
  return static_cast<Entry>(bits | meaning);
}

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
