#include "codec/bzip2/huffman.hpp"

#include <algorithm>

namespace shardmill::codec {

void HuffmanTable::build(std::span<const std::uint8_t> lengths) {
  std::array<std::uint16_t, kBzip2MaxCodeBits + 1> count{};
  for (const std::uint8_t length : lengths) ++count[length];

  std::uint32_t code = 0;
  std::uint16_t index = 0;
  for (unsigned bits = 1; bits <= kBzip2MaxCodeBits; ++bits) {
    code <<= 1;
    first_code_[bits] = code;
    first_index_[bits] = index;
    code += count[bits];
    index = static_cast<std::uint16_t>(index + count[bits]);
    // If there are more codes than fit, the surplus codes and all longer ones can never occur.
    limit_[bits] = std::min(code, std::uint32_t{1} << bits) << (kBzip2MaxCodeBits - bits);
  }

  std::array<std::uint16_t, kBzip2MaxCodeBits + 1> next = first_index_;
  for (unsigned symbol = 0; symbol < lengths.size(); ++symbol) {
    symbols_[next[lengths[symbol]]++] = static_cast<std::uint16_t>(symbol);
  }
  fill_lookup(lengths);
}

void HuffmanTable::fill_lookup(std::span<const std::uint8_t> lengths) {
  const unsigned end_of_block = static_cast<unsigned>(lengths.size()) - 1;
  std::size_t filled = 0;
  for (unsigned bits = 1; bits <= kLookupBits; ++bits) {
    const std::size_t limit = limit_[bits] >> (kBzip2MaxCodeBits - kLookupBits);
    const std::size_t span = std::size_t{1} << (kLookupBits - bits);
    for (unsigned index = first_index_[bits]; filled < limit; filled += span, ++index) {
      const unsigned symbol = symbols_[index];
      const Entry entry = symbol == end_of_block ? Entry{0} : entry_of(symbol, bits);
      std::fill_n(lookup_.begin() + static_cast<std::ptrdiff_t>(filled), span, entry);
    }
  }
  std::fill(lookup_.begin() + static_cast<std::ptrdiff_t>(filled), lookup_.end(), Entry{0});
}

HuffmanTable::Symbol HuffmanTable::search(std::uint64_t window) const noexcept {
  const auto top = static_cast<std::uint32_t>(window >> (64 - kBzip2MaxCodeBits));
  for (unsigned bits = 1; bits <= kBzip2MaxCodeBits; ++bits) {
    if (top < limit_[bits]) {
      const std::uint32_t code = top >> (kBzip2MaxCodeBits - bits);
      return {.value = symbols_[first_index_[bits] + code - first_code_[bits]], .bits = bits};
    }
  }
  return {.value = 0, .bits = 0};
}

}  // namespace shardmill::codec
