// Deflate streams put together by hand, bit by bit, and the numbers of RFC 1951 for that.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace shardmill::codec::testing {

// RFC 1951, 3.2.5: the least value of each length and distance code, and how many bits add to it.
inline constexpr std::array<unsigned, 29> kLengthBase{3,  4,  5,  6,   7,   8,   9,   10,  11, 13,
                                                      15, 17, 19, 23,  27,  31,  35,  43,  51, 59,
                                                      67, 83, 99, 115, 131, 163, 195, 227, 258};
inline constexpr std::array<unsigned, 29> kLengthMore{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                                      2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
inline constexpr std::array<unsigned, 30> kDistanceBase{
    1,   2,   3,   4,   5,   7,    9,    13,   17,   25,   33,   49,   65,    97,    129,
    193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
inline constexpr std::array<unsigned, 30> kDistanceMore{0, 0, 0, 0, 1, 1, 2, 2,  3,  3,  4,  4,  5,  5,  6,
                                                        6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13};

/// Bits of a deflate stream, lowest first.
class DeflateBits {
 public:
  DeflateBits& put(std::uint64_t value, unsigned count) {
    for (unsigned i = 0; i < count; ++i, ++size_) {
      if (size_ % 8 == 0) bytes_ += '\0';
      bytes_.back() =
          static_cast<char>(static_cast<unsigned char>(bytes_.back()) | (value >> i & 1) << size_ % 8);
    }
    return *this;
  }
  /// Huffman codes stand first bit first.
  DeflateBits& code(std::uint64_t value, unsigned count) {
    while (count-- > 0) put(value >> count & 1, 1);
    return *this;
  }

  // Symbols in the fixed codes of section 3.2.6; 256 ends the block.
  DeflateBits& symbol(unsigned symbol) {
    if (symbol < 144) return code(0x30 + symbol, 8);
    if (symbol < 256) return code(0x190 + symbol - 144, 9);
    if (symbol < 280) return code(symbol - 256, 7);
    return code(0xc0 + symbol - 280, 8);
  }
  DeflateBits& match(unsigned length, unsigned distance) {
    std::size_t i = kLengthBase.size() - 1;
    while (kLengthBase[i] > length) --i;
    symbol(257 + static_cast<unsigned>(i)).put(length - kLengthBase[i], kLengthMore[i]);
    std::size_t j = kDistanceBase.size() - 1;
    while (kDistanceBase[j] > distance) --j;
    return code(j, 5).put(distance - kDistanceBase[j], kDistanceMore[j]);
  }

  const std::string& bytes() const noexcept { return bytes_; }
  std::size_t size() const noexcept { return size_; }

 private:
  std::string bytes_;
  std::size_t size_ = 0;
};

}  // namespace shardmill::codec::testing
