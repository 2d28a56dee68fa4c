#include "codec/bzip2/block_header.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <span>

#include "codec/bzip2/bits.hpp"
#include "codec/bzip2/block.hpp"

namespace shardmill::codec {

namespace {

// If a magic begins anywhere in byte p, bytes p+1 to p+5 lie inside it. They form four pairs of neighbours,
// and each pair can have 8 values, one for each bit at which the magic may begin. So it is enough to look up
// every fourth pair of the file in a table of these 32 values.
constexpr std::size_t kPairs = 4;
constexpr std::size_t kUnrolled = 8 * kPairs;

/// A table that finds out whether a pair can be one of these 32. It uses only 14 bits of the pair, so that
/// the table stays in the nearest cache.
class PairTable {
 public:
  explicit constexpr PairTable(std::uint64_t magic) {
    for (unsigned pair = 0; pair < kPairs; ++pair) {
      for (unsigned shift = 0; shift < 8; ++shift) {
        const std::uint64_t bits = magic >> (8 * pair + shift);
        known_[index(static_cast<unsigned>(bits >> 8 & 0xff), static_cast<unsigned>(bits & 0xff))] = 1;
      }
    }
  }

  unsigned has(const std::byte* pair) const noexcept {
    return known_[index(std::to_integer<unsigned>(pair[0]), std::to_integer<unsigned>(pair[1]))];
  }

 private:
  static constexpr unsigned kIndexBits = 14;
  static constexpr std::size_t index(unsigned first, unsigned second) {
    return (first | second << 8) & ((1U << kIndexBits) - 1);
  }

  std::array<std::uint8_t, std::size_t{1} << kIndexBits> known_{};
};

template <std::uint64_t kMagic>
constexpr PairTable kTable{kMagic};

/// The first bit where the magic begins, in byte `first` or one of the next three.
template <std::uint64_t kMagic>
std::optional<std::uint64_t> find_near(std::span<const std::byte> bytes, std::uint64_t first,
                                       std::uint64_t from_bit) {
  for (std::uint64_t bit = first * 8; bit < (first + kPairs) * 8; ++bit) {
    BitReader reader(bytes, bit);
    if (bit >= from_bit && reader.take(kBzip2MagicBits) == kMagic && !reader.past_end()) return bit;
  }
  return std::nullopt;
}

template <std::uint64_t kMagic>
std::optional<std::uint64_t> find(std::span<const std::byte> bytes, std::uint64_t from_bit) {
  const PairTable& table = kTable<kMagic>;
  const std::byte* const data = bytes.data();
  for (std::size_t first = from_bit / 8; first + 2 < bytes.size(); first += kPairs) {
    while (first + kUnrolled + 2 < bytes.size()) {
      unsigned any = 0;
      for (std::size_t i = 0; i < kUnrolled; i += kPairs) any |= table.has(data + first + 1 + i);
      if (any != 0) break;
      first += kUnrolled;
    }
    if (table.has(data + first + 1) == 0) continue;
    // This pair may lie in bytes 1 to 5 of a magic, which then begins in byte `first` or up to three bytes
    // before.
    const std::uint64_t earliest = first < kPairs - 1 ? 0 : first - (kPairs - 1);
    if (const auto bit = find_near<kMagic>(bytes, earliest, from_bit)) return bit;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::uint64_t> find_bzip2_block(std::span<const std::byte> bytes, std::uint64_t from_bit) {
  return find<kBzip2BlockMagic>(bytes, from_bit);
}

std::optional<std::uint64_t> find_bzip2_end(std::span<const std::byte> bytes, std::uint64_t from_bit) {
  return find<kBzip2EndMagic>(bytes, from_bit);
}

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
