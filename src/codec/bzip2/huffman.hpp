// The first stage of the bzip2 block decoder: from bits to move-to-front positions, with zero runs written
// out.
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
inline constexpr unsigned kBzip2MaxSelectors = 18002;  // more may be stored, they are never used
inline constexpr unsigned kBzip2MaxSymbols = 258;

/// A prefix code, decoded as libbz2 does it, over-subscribed and incomplete ones included.
class HuffmanTable {
 public:
  static constexpr unsigned kLookupBits = 11;

  // What a lookup gives. Code length in the low six bits, so that it can be a shift count as it is.
  static constexpr unsigned kRunShift = 6;       // 1: RUNA or RUNB
  static constexpr unsigned kDoubleShift = 7;    // 1: RUNB
  static constexpr unsigned kPositionShift = 8;  // move-to-front position of any other symbol
  using Entry = std::uint16_t;                   // 0: the code is longer, ends the block or is invalid

  struct Symbol {
    unsigned value;
    unsigned bits;  // 0 when no code fits
  };

  /// `lengths` are 1 to 20; the last symbol ends the block.
  void build(std::span<const std::uint8_t> lengths);

  Entry look_up(std::uint64_t window) const noexcept { return lookup_[window >> (64 - kLookupBits)]; }
  Symbol search(std::uint64_t window) const noexcept;

 private:
  void fill_lookup(std::span<const std::uint8_t> lengths);

  std::array<Entry, std::size_t{1} << kLookupBits> lookup_;
  std::array<std::uint32_t, kBzip2MaxCodeBits + 1> limit_;  // first 20-bit window above the codes of a length
  std::array<std::uint32_t, kBzip2MaxCodeBits + 1> first_code_;
  std::array<std::uint16_t, kBzip2MaxCodeBits + 1> first_index_;
  std::array<std::uint16_t, kBzip2MaxSymbols> symbols_;  // by code
};

/// What a block says before its symbols.
struct Bzip2BlockHeader {
  std::uint32_t crc;
  bool randomised;
  std::uint32_t origin;
  unsigned symbols_used;  // different bytes in the block
  std::array<std::uint8_t, 256> used;
  unsigned tables_count;
  unsigned selectors_count;
  std::array<HuffmanTable, kBzip2MaxTables> tables;
  std::array<std::uint8_t, kBzip2MaxSelectors + 1> selectors;
};

/// Reads from the block magic on. Returns the problem, empty when there is none. Bits behind the end read as
/// zero: the caller asks bits.past_end().
std::string_view read_block_header(BitReader& bits, Bzip2BlockHeader& header);

/// One byte a position, zero where the front symbol repeats. Bytes behind `count` are zero.
struct Bzip2Positions {
  std::array<std::uint8_t, kBzip2MaxBlockBytes + 1> bytes{};
  std::size_t count = 0;
};

/// Reads up to and with the end-of-block symbol; problem and end as above.
std::string_view read_positions(base::VectorPath path, BitReader& bits, const Bzip2BlockHeader& header,
                                Bzip2Positions& positions);

}  // namespace shardmill::codec
