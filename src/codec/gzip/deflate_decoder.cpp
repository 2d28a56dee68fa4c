#include "codec/gzip/deflate_decoder.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "shardmill/error.hpp"

namespace shardmill::codec {

namespace {

constexpr unsigned kKindBits = 3;
constexpr unsigned kMaxCodeLengthBits = 7;

/// The codes in which the lengths of the other codes are written.
class LengthCodes {
 public:
  /// False if they do not use all bit strings.
  bool build(std::uint64_t packed, unsigned count) {
    constexpr std::array<std::uint8_t, 19> kOrder{16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                                  11, 4,  12, 3, 13, 2, 14, 1, 15};
    std::array<std::uint8_t, 19> lengths{};
    std::array<unsigned, kMaxCodeLengthBits + 2> codes{};
    for (unsigned i = 0; i < count; ++i) {
      const auto length = static_cast<std::uint8_t>(packed >> (3 * i) & 7);
      lengths[kOrder[i]] = length;
      if (length > 0) ++codes[length];
    }
    unsigned used = 0;
    for (unsigned bits = 1; bits <= kMaxCodeLengthBits; ++bits)
      used += codes[bits] << (kMaxCodeLengthBits - bits);
    if (used != table_.size()) return false;
    unsigned code = 0;
    for (unsigned bits = 1; bits <= kMaxCodeLengthBits; ++bits, code <<= 1) {
      for (unsigned symbol = 0; symbol < lengths.size(); ++symbol) {
        if (lengths[symbol] == bits) put(code++, bits, symbol);
      }
    }
    return true;
  }
  /// Length and symbol.
  std::uint8_t bits(std::uint64_t next) const { return table_[next % table_.size()] & 7; }
  std::uint8_t symbol(std::uint64_t next) const { return table_[next % table_.size()] >> 3; }

 private:
  void put(unsigned code, unsigned bits, unsigned symbol) {
    unsigned reversed = 0;
    for (unsigned i = 0; i < bits; ++i) reversed |= (code >> i & 1) << (bits - 1 - i);
    for (unsigned at = reversed; at < table_.size(); at += 1U << bits) {
      table_[at] = static_cast<std::uint8_t>(symbol << 3 | bits);
    }
  }

  std::array<std::uint8_t, 1U << kMaxCodeLengthBits> table_;
};

}  // namespace

DeflateLengths::Result DeflateLengths::read(std::span<const std::byte> in, std::uint64_t& bit) {
  constexpr std::size_t kLengthBits = 3;
  const std::uint64_t in_bits = in.size() * 8;
  const std::uint64_t counts = deflate_bits(in, bit);
  symbols = (counts & 31) + 257;
  distances = (counts >> 5 & 31) + 1;
  const unsigned codes = static_cast<unsigned>(counts >> 10 & 15) + 4;
  if (bit + 14 > in_bits) return Result::input;
  if (symbols > 286 || distances > 30) {
    problem = "too many length or distance symbols";
    return Result::damage;
  }
  bit += 14;
  if (bit + codes * kLengthBits > in_bits) return Result::input;
  LengthCodes length_codes;
  if (!length_codes.build(deflate_bits(in, bit), codes)) {
    problem = "invalid code lengths set";
    return Result::damage;
  }
  bit += codes * kLengthBits;

  const std::size_t wanted = symbols + distances;
  for (std::size_t have = 0; have < wanted;) {
    const std::uint64_t next = deflate_bits(in, bit);
    const unsigned own = length_codes.bits(next);
    const unsigned symbol = length_codes.symbol(next);
    const std::uint64_t behind = next >> own;
    std::size_t repeats = 1;
    std::uint8_t length = 0;
    unsigned more = 0;
    if (symbol < 16) {
      length = static_cast<std::uint8_t>(symbol);
    } else if (symbol == 16) {
      more = 2;
      repeats = 3 + (behind & 3);
      if (have > 0) length = all[have - 1];
    } else if (symbol == 17) {
      more = 3;
      repeats = 3 + (behind & 7);
    } else {
      more = 7;
      repeats = 11 + (behind & 127);
    }
    if (bit + own + more > in_bits) return Result::input;
    if (repeats > wanted - have || (symbol == 16 && have == 0)) {
      problem = "invalid bit length repeat";
      return Result::damage;
    }
    bit += own + more;
    std::fill_n(all.begin() + static_cast<std::ptrdiff_t>(have), repeats, length);
    have += repeats;
  }
  return Result::good;
}

DeflateEnd DeflateDecoder::read_header(std::span<const std::byte> in, std::uint64_t& bit) {
  const std::uint64_t in_bits = in.size() * 8;
  if (bit + kKindBits > in_bits) return DeflateEnd::input;
  const std::uint64_t first = deflate_bits(in, bit);
  const bool is_last = (first & 1) != 0;
  std::uint64_t end = bit + kKindBits;
  Kind kind = Kind::codes;
  switch (first >> 1 & 3) {
    case 0: {
      kind = Kind::stored;
      end = (end + 7) / 8 * 8;
      if (end + 32 > in_bits) return DeflateEnd::input;
      const std::uint64_t lengths = deflate_bits(in, end);
      if (((lengths ^ lengths >> 16) & 0xffff) != 0xffff) return damage("invalid stored block lengths");
      stored_left_ = static_cast<std::uint16_t>(lengths);
      end += 32;
      break;
    }
    case 1:
      if (!fixed_tables_) tables_.build_fixed();
      fixed_tables_ = true;
      break;
    case 2: {
      DeflateLengths lengths;
      const DeflateLengths::Result result = lengths.read(in, end);
      if (result == DeflateLengths::Result::input) return DeflateEnd::input;
      if (result == DeflateLengths::Result::damage) return damage(lengths.problem);
      const std::span<const std::uint8_t> all(lengths.all);
      fixed_tables_ = false;
      if (const char* problem =
              tables_.build(all.first(lengths.symbols), all.subspan(lengths.symbols, lengths.distances))) {
        return damage(problem);
      }
      break;
    }
    default:
      return damage("invalid block type");
  }
  kind_ = kind;
  last_ = is_last;
  header_first_bit_ = static_cast<std::uint8_t>(bit % 8);
  header_bits_ = static_cast<std::uint16_t>(end - bit);
  const auto first_byte = static_cast<std::size_t>(bit / 8);
  std::memcpy(header_.data(), in.data() + first_byte, static_cast<std::size_t>((end + 7) / 8) - first_byte);
  bit = end;
  return DeflateEnd::block;
}

DeflateDecoder::Header DeflateDecoder::header() const {
  const std::uint64_t end = std::uint64_t{header_first_bit_} + header_bits_;
  return {.bytes = std::span(header_).first(static_cast<std::size_t>((end + 7) / 8)),
          .first_bit = header_first_bit_,
          .end_bit = end};
}

void DeflateDecoder::save(base::BinaryWriter& out) const {
  out.put(inside_block() ? 1 : 0);
  if (!inside_block()) return;
  out.put(stored_left_);
  out.put(header_first_bit_);
  out.put(header().bytes);
}

void DeflateDecoder::restore(base::BinaryReader& in) {
  begin();
  if (in.number() == 0) return;
  const auto stored_left = static_cast<std::uint16_t>(in.number());
  std::uint64_t bit = in.number();
  const auto bytes = in.bytes();
  if (read_header(bytes, bit) != DeflateEnd::block)
    throw Error("the restart point of a deflate stream is damaged");
  stored_left_ = stored_left;
}

template <typename Symbol>
DeflateEnd DeflateDecoder::copy_stored(std::span<const std::byte> in, std::uint64_t& bit,
                                       DeflateOutput<Symbol>& out) {
  const auto first = static_cast<std::size_t>(bit / 8);
  const std::size_t bytes =
      std::min({std::size_t{stored_left_}, in.size() - first, static_cast<std::size_t>(out.end - out.next)});
  if constexpr (sizeof(Symbol) == 1) {
    std::memcpy(out.next, in.data() + first, bytes);
  } else {
    std::transform(in.data() + first, in.data() + first + bytes, out.next,
                   [](std::byte byte) { return std::to_integer<Symbol>(byte); });
  }
  out.next += bytes;
  bit += bytes * 8;
  stored_left_ = static_cast<std::uint16_t>(stored_left_ - bytes);
  if (stored_left_ == 0) return DeflateEnd::block;
  return first + bytes == in.size() ? DeflateEnd::input : DeflateEnd::room;
}

template <typename Symbol>
DeflateEnd DeflateDecoder::decode_codes(std::span<const std::byte> in, std::uint64_t& bit,
                                        DeflateOutput<Symbol>& out) {
  const auto room = static_cast<std::size_t>(out.end - out.next);
  if (room < kDeflateLoopRoom) return DeflateEnd::room;
  if (in.size() > kDeflateLoopInputBytes && bit / 8 < in.size() - kDeflateLoopInputBytes) {
    DeflateLoop<Symbol> loop;
    loop.tables = &tables_;
    loop.next = in.data() + bit / 8;
    loop.next_limit = in.data() + in.size() - kDeflateLoopInputBytes;
    loop.bits = std::to_integer<std::uint64_t>(*loop.next) >> (bit % 8);
    loop.count = static_cast<unsigned>(8 - bit % 8);
    ++loop.next;
    loop.out = out.next;
    loop.out_limit = out.end - kDeflateLoopRoom;
    loop.history = out.history;
    const DeflateLoopEnd end = run_deflate_loop(loop);
    bit = static_cast<std::uint64_t>(loop.next - in.data()) * 8 - loop.count;
    out.next = loop.out;
    switch (end) {
      case DeflateLoopEnd::block:
        return DeflateEnd::block;
      case DeflateLoopEnd::bad_symbol:
        return damage("invalid literal/length code");
      case DeflateLoopEnd::bad_distance:
        return damage("invalid distance code");
      case DeflateLoopEnd::too_far:
        return damage("invalid distance too far back");
      case DeflateLoopEnd::limit:
        break;
    }
    if (out.next > loop.out_limit) return DeflateEnd::room;
  }
  return decode_tail(in, bit, out);
}

/// One code at a time.
template <typename Symbol>
DeflateEnd DeflateDecoder::decode_tail(std::span<const std::byte> in, std::uint64_t& bit,
                                       DeflateOutput<Symbol>& out) {
  const std::uint64_t in_bits = in.size() * 8;
  struct Found {
    DeflateEntry entry;
    std::uint64_t bits;  // from the entry's own
    std::uint64_t bit;
  };
  const auto find = [&](const DeflateEntry* table, unsigned table_bits, std::uint64_t at) {
    std::uint64_t bits = deflate_bits(in, at);
    DeflateEntry entry = table[bits & ((std::uint64_t{1} << table_bits) - 1)];
    if ((entry & kDeflateLonger) != 0) {
      bits >>= table_bits;
      at += table_bits;
      entry = table[(entry >> 16) +
                    (bits & ((std::uint64_t{1} << (DeflateTables::kLongestCode - table_bits)) - 1))];
    }
    return Found{entry, bits, at};
  };
  const auto value_of = [](const Found& found) {
    const std::uint64_t bits = found.bits & ((std::uint64_t{1} << (found.entry & 63)) - 1);
    return (found.entry >> 16) + static_cast<std::size_t>(bits >> (found.entry >> 8 & 15));
  };
  for (;;) {
    if (static_cast<std::size_t>(out.end - out.next) < kDeflateLoopRoom) return DeflateEnd::room;
    const Found symbol = find(tables_.symbols(), DeflateTables::kSymbolBits, bit);
    const std::uint64_t behind = symbol.bit + (symbol.entry & 63);
    if ((symbol.entry & kDeflateLiterals) != 0) {
      const bool two = behind <= in_bits && (symbol.entry & kDeflateLiterals) == 2U << kDeflateLiteralsShift;
      const std::uint64_t behind_first = symbol.bit + (symbol.entry >> 8 & 15);
      if (behind_first > in_bits) return DeflateEnd::input;
      *out.next++ = static_cast<Symbol>(symbol.entry >> 16 & 0xff);
      if (two) *out.next++ = static_cast<Symbol>(symbol.entry >> 24);
      bit = two ? behind : behind_first;
      continue;
    }
    if (behind > in_bits) return DeflateEnd::input;
    if ((symbol.entry & kDeflateStop) != 0) {
      if (symbol.entry >> 16 != 0) {
        return bit + DeflateTables::kLongestCode > in_bits ? DeflateEnd::input
                                                           : damage("invalid literal/length code");
      }
      bit = behind;
      return DeflateEnd::block;
    }
    const Found far = find(tables_.distances(), DeflateTables::kDistanceBits, behind);
    if ((far.entry & kDeflateStop) != 0) {
      return behind + DeflateTables::kLongestCode > in_bits ? DeflateEnd::input
                                                            : damage("invalid distance code");
    }
    if (far.bit + (far.entry & 63) > in_bits) return DeflateEnd::input;
    const std::size_t distance = value_of(far);
    if (distance > static_cast<std::size_t>(out.next - out.history))
      return damage("invalid distance too far back");
    for (std::size_t length = value_of(symbol); length > 0; --length, ++out.next) {
      *out.next = *(out.next - distance);
    }
    bit = far.bit + (far.entry & 63);
  }
}

template <typename Symbol>
DeflateEnd DeflateDecoder::decode_any(std::span<const std::byte> in, std::uint64_t& bit,
                                      DeflateOutput<Symbol>& out) {
  if (kind_ == Kind::none) {
    const DeflateEnd end = read_header(in, bit);
    if (end != DeflateEnd::block) return end;
  }
  const DeflateEnd end = kind_ == Kind::stored ? copy_stored(in, bit, out) : decode_codes(in, bit, out);
  if (end != DeflateEnd::block) return end;
  kind_ = Kind::none;
  return last_ ? DeflateEnd::last_block : DeflateEnd::block;
}

DeflateEnd DeflateDecoder::decode(std::span<const std::byte> in, std::uint64_t& bit,
                                  DeflateOutput<std::uint8_t>& out) {
  return decode_any(in, bit, out);
}

DeflateEnd DeflateDecoder::decode(std::span<const std::byte> in, std::uint64_t& bit,
                                  DeflateOutput<std::uint16_t>& out) {
  return decode_any(in, bit, out);
}

}  // namespace shardmill::codec
