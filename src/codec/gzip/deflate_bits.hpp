// Bits of a deflate stream: lowest first.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace shardmill::codec {

/// At least 57 bits from bit `bit`; after the end there are zeros.
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

}  // namespace shardmill::codec
