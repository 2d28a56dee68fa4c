// DeflateDecoder: decodes deflate blocks from any bit on, to bytes, or to symbols if the bytes before are
// unknown.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "base/io/binary_fields.hpp"
#include "codec/gzip/deflate_loop.hpp"
#include "codec/gzip/deflate_tables.hpp"

namespace shardmill::codec {

/// At least 57 bits from bit `bit`, lowest first; zeros after the end.
inline std::uint64_t deflate_bits(std::span<const std::byte> in, std::uint64_t bit) {
  std::uint64_t word = 0;
  const std::uint64_t first = bit / 8;
  if (first + sizeof word <= in.size()) {
    std::memcpy(&word, in.data() + first, sizeof word);
  } else if (first < in.size()) {
    std::memcpy(&word, in.data() + first, in.size() - static_cast<std::size_t>(first));
  }
  return word >> (bit % 8);
}

inline constexpr std::size_t kDeflateWindowBytes = std::size_t{32} << 10;

enum class DeflateEnd {
  input,       // is used up, except for the beginning of a code or a header
  room,        // is used up, except for less than kDeflateLoopRoom
  block,       // has ended
  last_block,  // has ended
  damage
};

/// The target of symbols. Distances may reach back to `history`.
template <typename Symbol>
struct DeflateOutput {
  const Symbol* history = nullptr;
  Symbol* next = nullptr;
  Symbol* end = nullptr;
};

/// The state of a deflate stream between two bits.
class DeflateDecoder {
 public:
  /// Expects the header of the first block of a stream.
  void begin() noexcept {
    kind_ = Kind::none;
    problem_ = nullptr;
  }

  /// Decodes up to the end of a block, from bit `bit` of `in`, which it moves forward. Decodes every code
  /// that is whole in `in`, if there is room. After damage, `bit` is the start of the wrong code or header,
  /// and problem() describes it in zlib's words.
  DeflateEnd decode(std::span<const std::byte> in, std::uint64_t& bit, DeflateOutput<std::uint8_t>& out);
  DeflateEnd decode(std::span<const std::byte> in, std::uint64_t& bit, DeflateOutput<std::uint16_t>& out);

  bool inside_block() const noexcept { return kind_ != Kind::none; }
  const char* problem() const noexcept { return problem_; }

  /// Saves the state for another decoder.
  void save(base::BinaryWriter& out) const;
  /// Throws Error if save() did not write these bytes.
  void restore(base::BinaryReader& in);

  /// The bits that zlib has to read before it can continue at the same place inside this block: the header of
  /// the block, from bit `first_bit` up to bit `end_bit`.
  struct Header {
    std::span<const std::byte> bytes;
    std::uint64_t first_bit = 0;
    std::uint64_t end_bit = 0;
  };
  Header header() const;

 private:
  enum class Kind : std::uint8_t { none, stored, codes };

  template <typename Symbol>
  DeflateEnd decode_any(std::span<const std::byte> in, std::uint64_t& bit, DeflateOutput<Symbol>& out);
  template <typename Symbol>
  DeflateEnd copy_stored(std::span<const std::byte> in, std::uint64_t& bit, DeflateOutput<Symbol>& out);
  template <typename Symbol>
  DeflateEnd decode_codes(std::span<const std::byte> in, std::uint64_t& bit, DeflateOutput<Symbol>& out);
  template <typename Symbol>
  DeflateEnd decode_tail(std::span<const std::byte> in, std::uint64_t& bit, DeflateOutput<Symbol>& out);
  DeflateEnd read_header(std::span<const std::byte> in, std::uint64_t& bit);
  DeflateEnd damage(const char* problem) {
    problem_ = problem;
    return DeflateEnd::damage;
  }

  // No header is longer: 17 bits, 19 lengths of 3 bits, and 316 of 14.
  static constexpr std::size_t kMaxHeaderBytes = 568;

  Kind kind_ = Kind::none;
  bool last_ = false;          // block of the stream
  bool fixed_tables_ = false;  // tables_ are the fixed ones, of a block without its own codes
  std::uint16_t stored_left_ = 0;
  std::uint16_t header_bits_ = 0;
  std::uint8_t header_first_bit_ = 0;  // of the first byte
  const char* problem_ = nullptr;
  std::array<std::byte, kMaxHeaderBytes> header_;
  DeflateTables tables_;
};

/// The lengths of all codes of a block with its own codes.
struct DeflateLengths {
  std::array<std::uint8_t, DeflateTables::kMaxSymbols + DeflateTables::kMaxDistances> all;
  std::size_t symbols = 0;
  std::size_t distances = 0;

  enum class Result { good, input, damage };
  /// `bit` is after the three bits with the kind of the block, and is moved to after the codes.
  Result read(std::span<const std::byte> in, std::uint64_t& bit);
  const char* problem = nullptr;
};

}  // namespace shardmill::codec
