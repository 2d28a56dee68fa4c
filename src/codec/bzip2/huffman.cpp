#include "codec/bzip2/huffman.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <string_view>

namespace shardmill::codec {

namespace {

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
    // When there are more codes than fit, the surplus codes and all longer ones can never occur.
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

namespace {

// The next bits, in a register: at least 56 of them after refill(), which reads 8 bytes.
class BitWindow {
 public:
  BitWindow(const std::byte* base, std::uint64_t position) : next_(base + position / 8) {
    refill();
    skip(static_cast<unsigned>(position % 8));
  }

  void refill() {
    bits_ |= load_big_endian64(next_) >> count_;
    next_ += (63 - count_) >> 3;
    count_ |= 56;
  }
  std::uint64_t bits() const { return bits_; }
  void skip(unsigned bits) {
    bits_ <<= bits & 63;
    count_ -= bits & 63;
  }
  const std::byte* next() const { return next_; }
  std::uint64_t position(const std::byte* base) const {
    return static_cast<std::uint64_t>(next_ - base) * 8 - count_;
  }

 private:
  const std::byte* next_;
  std::uint64_t bits_ = 0;
  unsigned count_ = 0;
};

// Writes positions. A run of zeros is coded as a number in base 2 with the digits 1 (RUNA) and 2 (RUNB),
// lowest digit first. All bytes are zero beforehand, so a digit only moves the place of writing, and no
// branch is needed.
struct PositionWriter {
  std::uint8_t* bytes;
  std::size_t count = 0;
  std::size_t weight_less_1 = 0;  // weight of the next digit, less 1

  /// False when there is no room left.
  bool put(unsigned entry) {
    const auto run_mask = -static_cast<std::size_t>(entry >> HuffmanTable::kRunShift & 1);
    const std::size_t weight = (weight_less_1 & run_mask) + 1;
    bytes[count] = static_cast<std::uint8_t>(entry >> HuffmanTable::kPositionShift);
    count += weight << (entry >> HuffmanTable::kDoubleShift & 1);
    weight_less_1 = (2 * weight - 1) & run_mask;
    return count <= kBzip2MaxBlockBytes;
  }
};

enum class Stop { none, end_of_block, no_code, no_selector, too_long };

// Reads the 50 symbols of a group. It reads less than kGroupReach bytes from window.next() on.
constexpr std::ptrdiff_t kGroupReach = 160;
[[gnu::always_inline]] inline Stop read_group(const HuffmanTable& table, unsigned end_of_block,
                                              BitWindow& window, PositionWriter& writer) {
  constexpr unsigned kSymbolsPerRefill = 56 / HuffmanTable::kLookupBits;
  static_assert(kGroupSymbols % kSymbolsPerRefill == 0);
  for (unsigned i = 0; i < kGroupSymbols; i += kSymbolsPerRefill) {
    window.refill();
#pragma GCC unroll 5
    for (unsigned j = 0; j < kSymbolsPerRefill; ++j) {
      unsigned entry = table.look_up(window.bits());
      if (entry == 0) [[unlikely]] {
        window.refill();
        const auto [symbol, bits] = table.search(window.bits());
        if (bits == 0) {
          window.skip(kBzip2MaxCodeBits);  // this many bits had to be looked at
          return Stop::no_code;
        }
        window.skip(bits);
        if (symbol == end_of_block) return Stop::end_of_block;
        window.refill();
        entry = make_entry(symbol, 0);
      }
      window.skip(entry);
      if (!writer.put(entry)) [[unlikely]]
        return Stop::too_long;
    }
  }
  return Stop::none;
}

// The state of reading a block's symbols, which can be interrupted between two groups.
struct SymbolProgress {
  std::uint64_t position;  // in bits
  PositionWriter writer;
  unsigned group = 0;
  Stop stop = Stop::none;
};

// Reads groups as long as the next one begins at `last` or before.
[[gnu::always_inline]] inline void read_groups(const Bzip2BlockHeader& header, const std::byte* base,
                                               const std::byte* last, SymbolProgress& progress) {
  BitWindow window(base, progress.position);
  PositionWriter writer = progress.writer;
  unsigned group = progress.group;
  Stop stop = Stop::none;
  while (stop == Stop::none && window.next() <= last) {
    if (group == header.selectors_count) {
      stop = Stop::no_selector;
      break;
    }
    stop = read_group(header.tables[header.selectors[group++]], header.symbols_used + 1, window, writer);
  }
  progress = {.position = window.position(base), .writer = writer, .group = group, .stop = stop};
}

using ReadGroups = void(const Bzip2BlockHeader&, const std::byte*, const std::byte*, SymbolProgress&);

void read_groups_plain(const Bzip2BlockHeader& header, const std::byte* base, const std::byte* last,
                       SymbolProgress& progress) {
  read_groups(header, base, last, progress);
}

#if defined(__x86_64__)
// Without BMI2, shifts by a variable make this a third slower.
[[gnu::target("bmi,bmi2")]] void read_groups_bmi2(const Bzip2BlockHeader& header, const std::byte* base,
                                                  const std::byte* last, SymbolProgress& progress) {
  read_groups(header, base, last, progress);
}
#endif

ReadGroups* read_groups_for(base::VectorPath path) {
#if defined(__x86_64__)
  if (path == base::VectorPath::avx2 || path == base::VectorPath::avx512) return read_groups_bmi2;
#endif
  (void)path;
  return read_groups_plain;
}

// The last groups would read past the end of the input, so they are read from a copy that zeros follow.
void read_last_groups(ReadGroups* read, const Bzip2BlockHeader& header, std::span<const std::byte> input,
                      SymbolProgress& progress) {
  const std::size_t first = std::min<std::size_t>(progress.position / 8, input.size());
  const std::span<const std::byte> rest = input.subspan(first);
  std::array<std::byte, 3 * kGroupReach> copy{};
  std::ranges::copy(rest, copy.begin());
  progress.position -= first * 8;
  // A window holds up to 8 bytes. Adding 8 lets the position move past the end, too.
  read(header, copy.data(), copy.data() + rest.size() + 8, progress);
  progress.position += first * 8;
}

std::string_view problem_of(Stop stop) {
  switch (stop) {
    case Stop::none:  // after the end of the input
    case Stop::end_of_block:
      return {};
    case Stop::no_code:
      return "invalid Huffman code";
    case Stop::no_selector:
      return "more symbols than Huffman table selectors";
    case Stop::too_long:
      return "more than 900000 bytes in a block";
  }
  return {};
}

}  // namespace

std::string_view read_positions(base::VectorPath path, BitReader& bits, const Bzip2BlockHeader& header,
                                Bzip2Positions& positions) {
  std::fill_n(positions.bytes.begin(), positions.count, std::uint8_t{0});
  SymbolProgress progress{.position = bits.position(), .writer = {.bytes = positions.bytes.data()}};
  ReadGroups* const read = read_groups_for(path);
  const std::span<const std::byte> input = bits.input();
  if (progress.position / 8 + kGroupReach <= input.size()) {
    read(header, input.data(), input.data() + input.size() - kGroupReach, progress);
  }
  if (progress.stop == Stop::none) read_last_groups(read, header, input, progress);
  bits = BitReader(input, progress.position);
  positions.count = std::min(progress.writer.count, kBzip2MaxBlockBytes);
  return problem_of(progress.stop);
}

}  // namespace shardmill::codec
