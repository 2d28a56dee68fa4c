#include "shardmill/codec/bzip2_huffman.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace shardmill::codec {

namespace {

constexpr unsigned kRunA = 0;
constexpr unsigned kRunB = 1;

HuffmanTable::Entry make_entry(unsigned symbol, unsigned bits) {
  unsigned entry = bits;
  if (symbol <= kRunB) {
    entry |= 1U << HuffmanTable::kRunShift | symbol << HuffmanTable::kDoubleShift;
  } else {
    entry |= (symbol - 1) << HuffmanTable::kPositionShift;
  }
  return static_cast<HuffmanTable::Entry>(entry);
}

}  // namespace

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
    // More codes than fit: the surplus can never be met, and longer codes neither.
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
      const Entry entry = symbol == end_of_block ? Entry{0} : make_entry(symbol, bits);
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

namespace {

constexpr std::string_view kTooLong = "more than 900000 bytes in a block";
constexpr std::string_view kNoCode = "invalid Huffman code";
constexpr std::string_view kNoSelector = "more symbols than selectors";
constexpr unsigned kGroupSymbols = 50;

void read_used_bytes(BitReader& bits, Bzip2BlockHeader& header) {
  header.symbols_used = 0;
  const auto rows = static_cast<unsigned>(bits.take(16));
  for (unsigned row = 0; row < 16; ++row) {
    if ((rows >> (15 - row) & 1) == 0) continue;
    const auto columns = static_cast<unsigned>(bits.take(16));
    for (unsigned column = 0; column < 16; ++column) {
      if ((columns >> (15 - column) & 1) == 0) continue;
      header.used[header.symbols_used++] = static_cast<std::uint8_t>(row * 16 + column);
    }
  }
}

bool read_selectors(BitReader& bits, Bzip2BlockHeader& header) {
  const auto stored = static_cast<unsigned>(bits.take(15));
  std::array<std::uint8_t, kBzip2MaxTables> order;
  std::iota(order.begin(), order.end(), std::uint8_t{0});
  for (unsigned i = 0; i < stored; ++i) {
    const auto position = static_cast<unsigned>(std::countl_one(bits.window()));
    if (position >= header.tables_count) return false;
    bits.skip(position + 1);
    if (i >= kBzip2MaxSelectors) continue;
    const std::uint8_t table = order[position];
    std::copy_backward(order.begin(), order.begin() + position, order.begin() + position + 1);
    order[0] = table;
    header.selectors[i] = table;
  }
  header.selectors_count = std::min(stored, kBzip2MaxSelectors);
  return stored > 0;
}

bool read_code_lengths(BitReader& bits, std::span<std::uint8_t> lengths) {
  auto length = static_cast<unsigned>(bits.take(5));
  for (std::uint8_t& out : lengths) {
    while (true) {
      if (length < 1 || length > kBzip2MaxCodeBits || bits.past_end()) return false;
      const std::uint64_t window = bits.window();
      if (window >> 63 == 0) break;
      length += (window >> 62 & 1) == 0 ? 1U : -1U;
      bits.skip(2);
    }
    bits.skip(1);
    out = static_cast<std::uint8_t>(length);
  }
  return true;
}

}  // namespace

std::string_view read_block_header(BitReader& bits, Bzip2BlockHeader& header) {
  if (bits.take(48) != kBzip2BlockMagic) return "no block begins here";
  header.crc = static_cast<std::uint32_t>(bits.take(32));
  header.randomised = bits.take(1) != 0;
  header.origin = static_cast<std::uint32_t>(bits.take(24));
  read_used_bytes(bits, header);
  if (header.symbols_used == 0) return "no byte is used";
  header.tables_count = static_cast<unsigned>(bits.take(3));
  if (header.tables_count < 2 || header.tables_count > kBzip2MaxTables) return "not 2 to 6 Huffman tables";
  if (!read_selectors(bits, header)) return "bad Huffman table selectors";

  std::array<std::uint8_t, kBzip2MaxSymbols> lengths;
  const auto used = std::span(lengths).first(header.symbols_used + 2);
  for (unsigned table = 0; table < header.tables_count; ++table) {
    if (!read_code_lengths(bits, used)) return "Huffman code length is not 1 to 20";
    header.tables[table].build(used);
  }
  return {};
}

std::string_view read_positions(BitReader& bits, const Bzip2BlockHeader& header, Bzip2Positions& positions) {
  const unsigned end_of_block = header.symbols_used + 1;
  std::size_t count = 0;
  std::size_t weight = 1;
  for (unsigned group = 0; group < header.selectors_count && !bits.past_end(); ++group) {
    const HuffmanTable& table = header.tables[header.selectors[group]];
    for (unsigned i = 0; i < kGroupSymbols; ++i) {
      const auto [value, length] = table.search(bits.window());
      if (length == 0) return kNoCode;
      bits.skip(length);
      if (value == end_of_block) {
        positions.count = count;
        return {};
      }
      const std::size_t repeats = value == kRunA ? weight : value == kRunB ? 2 * weight : 1;
      if (repeats > kBzip2MaxBlockBytes - count) return kTooLong;
      std::fill_n(positions.bytes.begin() + static_cast<std::ptrdiff_t>(count), repeats,
                  static_cast<std::uint8_t>(value <= kRunB ? 0 : value - 1));
      count += repeats;
      weight = value <= kRunB ? 2 * weight : 1;
    }
  }
  return kNoSelector;
}

}  // namespace shardmill::codec
