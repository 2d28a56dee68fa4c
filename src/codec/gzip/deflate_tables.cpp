#include "codec/gzip/deflate_tables.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace shardmill::codec {

namespace {

constexpr std::size_t kEndOfBlock = 256;
constexpr std::size_t kLengths = 29;
constexpr std::size_t kDistances = 30;
constexpr DeflateEntry kNoCode = kDeflateStop | 1U << 16;
constexpr unsigned kPayloadShift = 16;
constexpr unsigned kOwnBitsShift = 8;
constexpr unsigned kBitsMask = 0xff;

/// The entries of all symbols, still without the bits of their codes.
struct Meanings {
  std::array<DeflateEntry, DeflateTables::kMaxSymbols> symbols{};
  std::array<DeflateEntry, DeflateTables::kMaxDistances> distances{};
};

constexpr Meanings all_meanings() {
  Meanings all;
  for (std::uint32_t i = 0; i < kEndOfBlock; ++i) {
    all.symbols[i] = i << kPayloadShift | 1U << kDeflateLiteralsShift;
  }
  all.symbols[kEndOfBlock] = kDeflateStop;
  std::uint32_t base = 3;
  for (std::uint32_t i = 0; i < kLengths - 1; ++i) {
    const std::uint32_t more = i < 8 ? 0 : (i - 4) / 4;
    all.symbols[kEndOfBlock + 1 + i] = base << kPayloadShift | more;
    base += 1U << more;
  }
  all.symbols[kEndOfBlock + kLengths] = 258U << kPayloadShift;
  for (std::size_t i = kEndOfBlock + kLengths + 1; i < all.symbols.size(); ++i) all.symbols[i] = kNoCode;
  base = 1;
  for (std::uint32_t i = 0; i < kDistances; ++i) {
    const std::uint32_t more = i < 4 ? 0 : (i - 2) / 2;
    all.distances[i] = base << kPayloadShift | more;
    base += 1U << more;
  }
  for (std::size_t i = kDistances; i < all.distances.size(); ++i) all.distances[i] = kNoCode;
  return all;
}

constexpr Meanings kMeanings = all_meanings();

/// The next code of `bits` bits in the order of codes; all are stored last bit first. `code` is not the last.
constexpr std::uint32_t next_code(std::uint32_t code, unsigned bits) {
  const std::uint32_t zeros = code ^ ((1U << bits) - 1);
  const std::uint32_t highest = 1U << (31 - std::countl_zero(zeros));
  return (code & (highest - 1)) | highest;
}

/// Symbols in the order of their codes.
struct Sorted {
  std::array<std::uint16_t, DeflateTables::kLongestCode + 1> count{};
  std::array<std::uint16_t, DeflateTables::kMaxSymbols> symbol;
  std::size_t used = 0;

  explicit Sorted(std::span<const std::uint8_t> lengths) {
    for (const std::uint8_t length : lengths) ++count[length];
    used = lengths.size() - count[0];
    std::array<std::uint16_t, DeflateTables::kLongestCode + 2> next{};
    for (unsigned i = 1; i <= DeflateTables::kLongestCode; ++i) {
      next[i + 1] = static_cast<std::uint16_t>(next[i] + count[i]);
    }
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      if (lengths[i] != 0) symbol[next[lengths[i]]++] = static_cast<std::uint16_t>(i);
    }
  }

  /// The number of unused bit strings of the longest length; below zero if there are too many codes.
  int unused() const {
    int left = 1;
    for (unsigned i = 1; i <= DeflateTables::kLongestCode; ++i) {
      left = 2 * left - count[i];
      if (left < 0) break;
    }
    return left;
  }
  /// zlib's rule: all bit strings are used, unless there is one code of one bit, or no code.
  bool is_accepted() const {
    const int left = unused();
    return left == 0 || (left > 0 && (used == 0 || (used == 1 && count[1] == 1)));
  }
};

DeflateEntry with_bits(DeflateEntry meaning, unsigned bits) {
  return meaning + (bits << kOwnBitsShift) + bits;
}

void fill(const Sorted& codes, std::span<const DeflateEntry> meanings, unsigned table_bits,
          DeflateEntry* table) {
  const std::size_t table_size = std::size_t{1} << table_bits;
  if (codes.used == 0 || codes.unused() > 0) {
    std::fill_n(table, table_size, with_bits(kNoCode, 1));
    if (codes.used == 1) {
      for (std::size_t i = 0; i < table_size; i += 2) table[i] = with_bits(meanings[codes.symbol[0]], 1);
    }
    return;
  }
  // The table is filled as if it were for codes of 1 bit, doubled, filled for codes of 2 bits, and so on.
  std::size_t place = 0;
  std::uint32_t code = 0;
  unsigned bits = 1;
  for (; bits <= table_bits; ++bits) {
    if (bits > 1) std::memcpy(table + (std::size_t{1} << (bits - 1)), table, sizeof *table << (bits - 1));
    for (unsigned i = codes.count[bits]; i > 0; --i) {
      table[code] = with_bits(meanings[codes.symbol[place++]], bits);
      if (place == codes.used) {
        for (; bits < table_bits; ++bits) {
          std::memcpy(table + (std::size_t{1} << bits), table, sizeof *table << bits);
        }
        return;
      }
      code = next_code(code, bits);
    }
  }
  const unsigned small_bits = DeflateTables::kLongestCode - table_bits;
  std::size_t small = table_size;  // where the next small table begins
  std::size_t current = table_size;
  std::uint32_t beginning = ~std::uint32_t{0};
  for (; place < codes.used; ++bits) {
    for (unsigned i = codes.count[bits]; i > 0; --i) {
      if (const auto first = static_cast<std::uint32_t>(code & (table_size - 1)); first != beginning) {
        beginning = first;
        current = small;
        small += std::size_t{1} << small_bits;
        table[first] = static_cast<DeflateEntry>(current) << kPayloadShift | kDeflateLonger |
                       (table_bits << kOwnBitsShift) | table_bits;
      }
      const unsigned rest = bits - table_bits;
      const DeflateEntry entry = with_bits(meanings[codes.symbol[place++]], rest);
      for (std::size_t at = code >> table_bits; at < std::size_t{1} << small_bits;
           at += std::size_t{1} << rest) {
        table[current + at] = entry;
      }
      if (place < codes.used) code = next_code(code, bits);
    }
  }
}

/// True if many lookups will find two literals, by the lengths of the codes.
bool pairs_pay(std::span<const std::uint8_t> symbols) {
  constexpr unsigned kBits = DeflateTables::kSymbolBits;
  std::array<std::uint32_t, DeflateTables::kLongestCode + 1> share{};  // of 2 to the power of kBits
  for (std::size_t i = 0; i < kEndOfBlock; ++i) {
    if (symbols[i] != 0 && symbols[i] < kBits) share[symbols[i]] += 1U << (kBits - symbols[i]);
  }
  std::uint32_t pairs = 0;  // of 2 to the power of 2 * kBits
  std::uint32_t at_most = 0;
  for (unsigned first = kBits - 1; first > 0; --first) {
    at_most += share[kBits - first];
    pairs += share[first] * at_most;
  }
  return pairs > (1U << 2 * kBits) / 4;
}

}  // namespace

const char* DeflateTables::build(std::span<const std::uint8_t> symbols,
                                 std::span<const std::uint8_t> distances) {
  if (symbols[kEndOfBlock] == 0) return "invalid code -- missing end-of-block";
  const Sorted symbol_codes(symbols);
  if (!symbol_codes.is_accepted()) return "invalid literal/lengths set";
  const Sorted distance_codes(distances);
  if (!distance_codes.is_accepted()) return "invalid distances set";
  fill(symbol_codes, kMeanings.symbols, kSymbolBits, symbols_.data());
  fill(distance_codes, kMeanings.distances, kDistanceBits, distances_.data());
  if (pairs_pay(symbols)) pair_literals();
  return nullptr;
}

void DeflateTables::build_fixed() {
  std::array<std::uint8_t, kMaxSymbols> symbols;
  std::fill(symbols.begin(), symbols.begin() + 144, std::uint8_t{8});
  std::fill(symbols.begin() + 144, symbols.begin() + 256, std::uint8_t{9});
  std::fill(symbols.begin() + 256, symbols.begin() + 280, std::uint8_t{7});
  std::fill(symbols.begin() + 280, symbols.end(), std::uint8_t{8});
  std::array<std::uint8_t, kMaxDistances> distances;
  distances.fill(5);
  build(symbols, distances);
}

/// If the bits of a lookup hold two whole literals, one lookup gives both. Goes from the highest place down,
/// because the second literal is looked up at a lower place, which is not paired yet.
void DeflateTables::pair_literals() {
  for (std::size_t i = std::size_t{1} << kSymbolBits; i-- > 0;) {
    const DeflateEntry first = symbols_[i];
    if ((first & kDeflateLiterals) == 0) continue;
    const unsigned bits = first & kBitsMask;
    const DeflateEntry second = symbols_[i >> bits];
    const unsigned both = bits + (second & kBitsMask);
    if ((second & kDeflateLiterals) == 0 || both > kSymbolBits) continue;
    symbols_[i] = (second >> kPayloadShift) << (kPayloadShift + 8) |
                  (first >> kPayloadShift) << kPayloadShift | 2U << kDeflateLiteralsShift |
                  bits << kOwnBitsShift | both;
  }
}

}  // namespace shardmill::codec
