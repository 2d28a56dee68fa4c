#include "codec/bzip2/positions.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "codec/bzip2/position_writer.hpp"

namespace shardmill::codec {

namespace {

constexpr unsigned kGroupSymbols = 50;

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

// Keeps entries for later.
struct EntryWriter {
  HuffmanTable::Entry* next;

  bool put(unsigned entry) {
    *next++ = static_cast<HuffmanTable::Entry>(entry);
    return true;
  }
};

enum class Stop { none, end_of_block, no_code, no_selector, too_long };

// Reading the symbols of a block. It can be interrupted between two groups.
struct Progress {
  std::uint64_t position;  // in bits
  PositionWriter writer;
  unsigned group = 0;
  Stop stop = Stop::none;
};

// The same while symbols are read. Groups start at `last` or before.
template <typename Writer>
struct Cursor {
  Cursor(const Bzip2BlockHeader& block, const std::byte* base, const std::byte* last_begin,
         const Progress& from, Writer to)
      : header(block), window(base, from.position), writer(to), last(last_begin), group(from.group) {}

  bool may_begin_group() const { return stop == Stop::none && window.next() <= last; }
  bool has_selector() const { return group < header.selectors_count; }
  const HuffmanTable& next_table() { return header.tables[header.selectors[group++]]; }
  Progress progress(const std::byte* base, const PositionWriter& written) const {
    return {.position = window.position(base), .writer = written, .group = group, .stop = stop};
  }

  const Bzip2BlockHeader& header;
  BitWindow window;
  Writer writer;
  const std::byte* last;
  unsigned group;
  Stop stop = Stop::none;
};

constexpr unsigned kSymbolsPerRefill = 56 / HuffmanTable::kLookupBits;
static_assert(kGroupSymbols % kSymbolsPerRefill == 0);

// Reads one symbol. The window must have been refilled at most kSymbolsPerRefill symbols ago.
template <typename Writer>
[[gnu::always_inline]] inline void read_symbol(const HuffmanTable& table, Cursor<Writer>& cursor) {
  unsigned entry = table.look_up(cursor.window.bits());
  if (entry == 0) [[unlikely]] {
    cursor.window.refill();
    const auto [symbol, bits] = table.search(cursor.window.bits());
    if (bits == 0) {
      cursor.window.skip(kBzip2MaxCodeBits);  // this many bits had to be looked at
      cursor.stop = Stop::no_code;
      return;
    }
    cursor.window.skip(bits);
    if (symbol == cursor.header.symbols_used + 1) {
      cursor.stop = Stop::end_of_block;
      return;
    }
    cursor.window.refill();
    entry = HuffmanTable::entry_of(symbol, 0);
  }
  cursor.window.skip(entry);
  if (!cursor.writer.put(entry)) [[unlikely]]
    cursor.stop = Stop::too_long;
}

// Reads the 50 symbols of a group. It reads less than kGroupReach bytes from window.next() on.
constexpr std::ptrdiff_t kGroupReach = 160;
template <typename Writer>
[[gnu::always_inline]] inline void read_group(const HuffmanTable& table, Cursor<Writer>& cursor) {
  for (unsigned i = 0; i < kGroupSymbols; i += kSymbolsPerRefill) {
    cursor.window.refill();
#pragma GCC unroll 5
    for (unsigned j = 0; j < kSymbolsPerRefill; ++j) {
      read_symbol(table, cursor);
      if (cursor.stop != Stop::none) return;
    }
  }
}

// The number of symbols of its group that each of two blocks has read when one of them stops.
struct GroupsRead {
  unsigned first = kGroupSymbols;
  unsigned second = kGroupSymbols;
};

template <typename Writer>
[[gnu::always_inline]] inline GroupsRead read_two_groups(const HuffmanTable& first_table,
                                                         Cursor<Writer>& first,
                                                         const HuffmanTable& second_table,
                                                         Cursor<Writer>& second) {
  for (unsigned i = 0; i < kGroupSymbols; i += kSymbolsPerRefill) {
    first.window.refill();
    second.window.refill();
#pragma GCC unroll 5
    for (unsigned j = 0; j < kSymbolsPerRefill; ++j) {
      read_symbol(first_table, first);
      if (first.stop != Stop::none) return {.first = i + j, .second = i + j};
      read_symbol(second_table, second);
      if (second.stop != Stop::none) return {.first = i + j + 1, .second = i + j};
    }
  }
  return {};
}

// Reads the rest of a group after its first `read` symbols.
template <typename Writer>
[[gnu::always_inline]] inline void finish_group(unsigned read, const HuffmanTable& table,
                                                Cursor<Writer>& cursor) {
  for (; read < kGroupSymbols && cursor.stop == Stop::none; ++read) {
    cursor.window.refill();
    read_symbol(table, cursor);
  }
}

// Reads groups as long as the next one starts at `last` or before.
[[gnu::always_inline]] inline void read_groups(const Bzip2BlockHeader& header, const std::byte* base,
                                               const std::byte* last, Progress& progress) {
  Cursor<PositionWriter> cursor(header, base, last, progress, progress.writer);
  while (cursor.may_begin_group()) {
    if (!cursor.has_selector()) {
      cursor.stop = Stop::no_selector;
      break;
    }
    read_group(cursor.next_table(), cursor);
  }
  progress = cursor.progress(base, cursor.writer);
}

// A block in the bytes from `base` on, whose groups are read that start at `last` or before.
struct Span {
  const Bzip2BlockHeader& header;
  const std::byte* base;
  const std::byte* last;
};

template <typename Writer>
[[gnu::always_inline]] inline bool may_begin_both(const Cursor<Writer>& first, const Cursor<Writer>& second) {
  return first.may_begin_group() && second.may_begin_group() && first.has_selector() && second.has_selector();
}

// Reads one group of each of two blocks.
template <typename Writer>
[[gnu::always_inline]] inline void read_one_of_each(Cursor<Writer>& first, Cursor<Writer>& second) {
  const HuffmanTable& first_table = first.next_table();
  const HuffmanTable& second_table = second.next_table();
  const GroupsRead read = read_two_groups(first_table, first, second_table, second);
  finish_group(read.first, first_table, first);
  finish_group(read.second, second_table, second);
}

// Reads groups of two blocks in turn, as long as both have one.
[[gnu::always_inline]] inline void read_groups_of_two(const Span& one, Progress& one_progress,
                                                      const Span& other, Progress& other_progress) {
  Cursor<PositionWriter> first(one.header, one.base, one.last, one_progress, one_progress.writer);
  Cursor<PositionWriter> second(other.header, other.base, other.last, other_progress, other_progress.writer);
  while (may_begin_both(first, second)) read_one_of_each(first, second);
  one_progress = first.progress(one.base, first.writer);
  other_progress = second.progress(other.base, second.writer);
}

struct ReadGroups {
  void (*of_one)(const Bzip2BlockHeader&, const std::byte*, const std::byte*, Progress&);
  void (*of_two)(const Span&, Progress&, const Span&, Progress&);
};

void read_groups_plain(const Bzip2BlockHeader& header, const std::byte* base, const std::byte* last,
                       Progress& progress) {
  read_groups(header, base, last, progress);
}

void read_groups_of_two_plain(const Span& one, Progress& one_progress, const Span& other,
                              Progress& other_progress) {
  read_groups_of_two(one, one_progress, other, other_progress);
}

#if defined(__x86_64__)
// Without BMI2, shifts by a variable make this a third slower.
[[gnu::target("bmi,bmi2")]] void read_groups_bmi2(const Bzip2BlockHeader& header, const std::byte* base,
                                                  const std::byte* last, Progress& progress) {
  read_groups(header, base, last, progress);
}

[[gnu::target("bmi,bmi2")]] void read_groups_of_two_bmi2(const Span& one, Progress& one_progress,
                                                         const Span& other, Progress& other_progress) {
  read_groups_of_two(one, one_progress, other, other_progress);
}

// Some groups are read, and then their positions are written, many at once.
[[gnu::target("bmi,bmi2")]] void read_groups_of_two_avx512(const Span& one, Progress& one_progress,
                                                           const Span& other, Progress& other_progress) {
  constexpr unsigned kGroupsAtOnce = 16;  // a multiple of 16: 50 symbols each, and 32 are written at once
  using Entries = std::array<HuffmanTable::Entry, std::size_t{kGroupsAtOnce} * kGroupSymbols>;
  Entries first_entries;
  Entries second_entries;
  Cursor<EntryWriter> first(one.header, one.base, one.last, one_progress, {first_entries.data()});
  Cursor<EntryWriter> second(other.header, other.base, other.last, other_progress, {second_entries.data()});
  const auto write = [](Cursor<EntryWriter>& cursor, Entries& entries, PositionWriter& writer) {
    const auto count = static_cast<std::size_t>(cursor.writer.next - entries.data());
    if (!put_entries_avx512(writer, std::span(entries).first(count))) cursor.stop = Stop::too_long;
    cursor.writer.next = entries.data();
  };
  while (may_begin_both(first, second)) {
    for (unsigned i = 0; i < kGroupsAtOnce && may_begin_both(first, second); ++i)
      read_one_of_each(first, second);
    write(first, first_entries, one_progress.writer);
    write(second, second_entries, other_progress.writer);
  }
  one_progress = first.progress(one.base, one_progress.writer);
  other_progress = second.progress(other.base, other_progress.writer);
}
#endif

ReadGroups read_groups_for(base::VectorPath path) {
#if defined(__x86_64__)
  if (path == base::VectorPath::avx512)
    return {.of_one = read_groups_bmi2, .of_two = read_groups_of_two_avx512};
  if (path == base::VectorPath::avx2) return {.of_one = read_groups_bmi2, .of_two = read_groups_of_two_bmi2};
#endif
  (void)path;
  return {.of_one = read_groups_plain, .of_two = read_groups_of_two_plain};
}

// The last groups would read past the end of the input, so they are read from a copy that zeros follow.
void read_last_groups(const ReadGroups& read, const Bzip2BlockHeader& header,
                      std::span<const std::byte> input, Progress& progress) {
  const std::size_t first = std::min<std::size_t>(progress.position / 8, input.size());
  const std::span<const std::byte> rest = input.subspan(first);
  std::array<std::byte, 3 * kGroupReach> copy{};
  std::ranges::copy(rest, copy.begin());
  progress.position -= first * 8;
  // A window holds up to 8 bytes. Adding 8 lets the position move past the end, too.
  read.of_one(header, copy.data(), copy.data() + rest.size() + 8, progress);
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

/// True if whole groups can be read from the input itself.
bool is_far_from_end(const Bzip2SymbolTask& task, const Progress& progress) {
  return progress.position / 8 + kGroupReach <= task.bits.input().size();
}

const std::byte* last_begin(const Bzip2SymbolTask& task) {
  const auto input = task.bits.input();
  return input.data() + input.size() - kGroupReach;
}

Progress begin(const Bzip2SymbolTask& task) {
  std::fill_n(task.positions.bytes.begin(), task.positions.count, std::uint8_t{0});
  return {.position = task.bits.position(), .writer = {.bytes = task.positions.bytes.data()}};
}

std::string_view finish(const ReadGroups& read, const Bzip2SymbolTask& task, Progress& progress) {
  const auto input = task.bits.input();
  if (progress.stop == Stop::none && is_far_from_end(task, progress))
    read.of_one(task.header, input.data(), last_begin(task), progress);
  if (progress.stop == Stop::none) read_last_groups(read, task.header, input, progress);
  task.bits = BitReader(input, progress.position);
  task.positions.count = std::min(progress.writer.count, kBzip2MaxBlockBytes);
  return problem_of(progress.stop);
}

}  // namespace

std::string_view read_positions(base::VectorPath path, const Bzip2SymbolTask& task) {
  Progress progress = begin(task);
  return finish(read_groups_for(path), task, progress);
}

std::array<std::string_view, 2> read_positions(base::VectorPath path, const Bzip2SymbolTask& first,
                                               const Bzip2SymbolTask& second) {
  const ReadGroups read = read_groups_for(path);
  Progress one = begin(first);
  Progress other = begin(second);
  if (is_far_from_end(first, one) && is_far_from_end(second, other)) {
    read.of_two({.header = first.header, .base = first.bits.input().data(), .last = last_begin(first)}, one,
                {.header = second.header, .base = second.bits.input().data(), .last = last_begin(second)},
                other);
  }
  return {finish(read, first, one), finish(read, second, other)};
}

}  // namespace shardmill::codec
