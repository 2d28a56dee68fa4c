// DeflateTables: the Huffman codes of one deflate block, as tables that decode several bits at a lookup.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace shardmill::codec {

/// An entry of a table, lowest bits first:
///   0 to 7    the number of bits to pass: the code's own, and those that add to a length or a distance
///   8 to 11   the number of them that are the code's own; of two literals, the first one's
///   12, 13    the number of its literals: 0, 1 or 2
///   14        the code is longer: the payload is the start of its own small table
///   15        the end of the block (payload 0), or no code at all (payload 1)
///   16 to 31  the literals, or the least length or distance
using DeflateEntry = std::uint32_t;

inline constexpr unsigned kDeflateLiteralsShift = 12;
inline constexpr DeflateEntry kDeflateLiterals = 3U << kDeflateLiteralsShift;
inline constexpr DeflateEntry kDeflateLonger = 1U << 14;
inline constexpr DeflateEntry kDeflateStop = 1U << 15;

class DeflateTables {
 public:
  static constexpr unsigned kSymbolBits = 11;  // of a lookup of a literal or a length
  static constexpr unsigned kDistanceBits = 9;
  static constexpr unsigned kLongestCode = 15;
  static constexpr std::size_t kMaxSymbols = 288;
  static constexpr std::size_t kMaxDistances = 32;

  /// Builds the tables from the lengths of all codes: first literals and lengths, then distances. Returns the
  /// problem in zlib's words, or null if the lengths are valid.
  const char* build(std::span<const std::uint8_t> symbols, std::span<const std::uint8_t> distances);
  /// Builds the tables of a block without its own codes.
  void build_fixed();

  const DeflateEntry* symbols() const noexcept { return symbols_.data(); }
  const DeflateEntry* distances() const noexcept { return distances_.data(); }

 private:
  void pair_literals();

  // After the main table there is a small one for every beginning of a longer code: with full codes at most
  // half as many as codes.
  std::array<DeflateEntry, (1U << kSymbolBits) + (kMaxSymbols / 2 << (kLongestCode - kSymbolBits))> symbols_;
  std::array<DeflateEntry, (1U << kDistanceBits) + (kMaxDistances / 2 << (kLongestCode - kDistanceBits))>
      distances_;
};

}  // namespace shardmill::codec
