// BitReader: reads bits from bytes, top bit first; bits after the end are zero. Private to the bzip2 decoder.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace shardmill::codec {

inline std::uint64_t load_big_endian64(const std::byte* bytes) noexcept {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof word);
  return std::endian::native == std::endian::little ? __builtin_bswap64(word) : word;
}

class BitReader {
 public:
  static constexpr unsigned kWindowBits = 57;  // window() holds at least this many

  BitReader(std::span<const std::byte> input, std::uint64_t position) : input_(input), position_(position) {}

  /// The next bits, from the top of the word down.
  std::uint64_t window() const noexcept {
    const std::uint64_t first = position_ / 8;
    const unsigned skip = static_cast<unsigned>(position_ % 8);
    if (first < input_.size() && input_.size() - first >= 8) {
      return load_big_endian64(input_.data() + first) << skip;
    }
    return padded_word(first) << skip;
  }

  void skip(std::uint64_t bits) noexcept { position_ += bits; }

  /// The next `bits` bits, from 1 to 57 of them.
  std::uint64_t take(unsigned bits) noexcept {
    const std::uint64_t value = window() >> (64 - bits);
    position_ += bits;
    return value;
  }

  std::uint64_t position() const noexcept { return position_; }
  bool past_end() const noexcept { return position_ > std::uint64_t{input_.size()} * 8; }
  std::span<const std::byte> input() const noexcept { return input_; }

 private:
  std::uint64_t padded_word(std::uint64_t first) const noexcept {
    std::uint64_t word = 0;
    for (std::uint64_t i = first; i < first + 8; ++i) {
      word = word << 8 | (i < input_.size() ? std::to_integer<std::uint64_t>(input_[i]) : 0);
    }
    return word;
  }

  std::span<const std::byte> input_;
  std::uint64_t position_;
};

}  // namespace shardmill::codec
