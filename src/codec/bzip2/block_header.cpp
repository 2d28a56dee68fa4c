#include "codec/bzip2/block_header.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <span>

#include "codec/bzip2/block.hpp"

namespace shardmill::codec {

namespace {

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

}  // namespace shardmill::codec
