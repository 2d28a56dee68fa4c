// HuffmanTable: one of the codes of a bzip2 block.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace shardmill::codec {

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

}  // namespace shardmill::codec
