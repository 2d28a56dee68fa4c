// DeflateDecoder: deflate blocks to bytes, from any bit on; or to symbols, where what came before is unknown.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/io/binary.hpp"
#include "codec/gzip/deflate_loop.hpp"
#include "codec/gzip/deflate_tables.hpp"

namespace shardmill::codec {

inline constexpr std::size_t kDeflateWindowBytes = std::size_t{32} << 10;

enum class DeflateEnd {
  input,       // is used up, but for the beginning of a code or a header
  room,        // is used up, but for less than kDeflateLoopRoom
  block,       // has ended
  last_block,  // has ended
  damage
};

/// Where symbols go. All from `history` to `next` can be referred to.
template <typename Symbol>
struct DeflateOutput {
  const Symbol* history = nullptr;
  Symbol* next = nullptr;
  Symbol* end = nullptr;
};

/// What comes next, all that is known of it.
class DeflateDecoder {
 public:
  /// The header of a block comes next, the first of its stream.
  void begin() noexcept {
    kind_ = Kind::none;
    problem_ = nullptr;
  }

  /// Decodes up to the end of a block, from bit `bit` of `in`, which it moves forward. Every code that is
  /// whole in `in` is decoded, if there is room. After damage, `bit` stands before the code or the header
  /// that is wrong, and problem() tells, in zlib's words.
  DeflateEnd decode(std::span<const std::byte> in, std::uint64_t& bit, DeflateOutput<std::uint8_t>& out);
  DeflateEnd decode(std::span<const std::byte> in, std::uint64_t& bit, DeflateOutput<std::uint16_t>& out);

  bool inside_block() const noexcept { return kind_ != Kind::none; }
  const char* problem() const noexcept { return problem_; }

  /// For another decoder to go on from.
  void save(base::BinaryWriter& out) const;
  /// Throws Error when these are not bytes that save() wrote.
  void restore(base::BinaryReader& in);

  /// What zlib has to read before it can go on at the same place inside this block: the header of the block,
  /// from bit `first_bit`, up to bit `end_bit`.
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
  bool fixed_tables_ = false;  // tables_ are those of a block that brings none
  std::uint16_t stored_left_ = 0;
  std::uint16_t header_bits_ = 0;
  std::uint8_t header_first_bit_ = 0;  // of the first byte
  const char* problem_ = nullptr;
  std::array<std::byte, kMaxHeaderBytes> header_;
  DeflateTables tables_;
};

/// The lengths of all codes of a block that brings its own.
struct DeflateLengths {
  std::array<std::uint8_t, DeflateTables::kMaxSymbols + DeflateTables::kMaxDistances> all;
  std::size_t symbols = 0;
  std::size_t distances = 0;

  enum class Result { good, input, damage };
  /// `bit` is after the three bits that say what kind of block it is, and is moved to after the codes.
  Result read(std::span<const std::byte> in, std::uint64_t& bit);
  const char* problem = nullptr;
};

}  // namespace shardmill::codec
