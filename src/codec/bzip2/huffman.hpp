// The first stage of the bzip2 block decoder: turns bits into move-to-front positions. Runs of zeros are
// written out.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/system/vector_path.hpp"
#include "codec/bzip2/bits.hpp"
#include "codec/bzip2/block.hpp"

namespace shardmill::codec {

inline constexpr unsigned kBzip2MaxCodeBits = 20;
inline constexpr unsigned kBzip2MaxTables = 6;
inline constexpr unsigned kBzip2MaxSelectors = 18002;  // a block may store more, which are never used
inline constexpr unsigned kBzip2MaxSymbols = 258;

/// A prefix code, decoded as libbz2 does it, even when it has too many or too few codes.
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
    unsigned bits;  // 0 when no code fits
  };

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

/// What a block says before its symbols.
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

/// One byte for each position; zero where the front symbol repeats. Bytes after `count` are zero.
struct Bzip2Positions {
  std::array<std::uint8_t, kBzip2MaxBlockBytes + 1> bytes{};
  std::size_t count = 0;
};

/// Reads the positions and the end-of-block symbol. Returns the problem; bits after the end read as zero.
std::string_view read_positions(base::VectorPath path, BitReader& bits, const Bzip2BlockHeader& header,
                                Bzip2Positions& positions);

}  // namespace shardmill::codec
