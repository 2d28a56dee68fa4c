// The inner loop of inflating, for plain bytes and for symbols that may be markers; included only by the
// sources that compile it for one instruction set each.
//
// Everything here has internal linkage by way of `Tag`, a type of an unnamed namespace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "codec/gzip/deflate_loop.hpp"
#include "codec/gzip/deflate_tables.hpp"

namespace shardmill::codec {

template <class Tag, typename Symbol>
struct DeflateKernel {
  // Copies kStepSymbols symbols at a time; may write one step too far.
  static constexpr std::size_t kStepSymbols = 16 / sizeof(Symbol);

  static void copy_match(Symbol* to, std::size_t distance, std::size_t length) {
    const Symbol* from = to - distance;
    Symbol* const end = to + length;
    if (distance >= kStepSymbols) {
      do {
        std::memcpy(to, from, sizeof(Symbol) * kStepSymbols);
        to += kStepSymbols;
        from += kStepSymbols;
      } while (to < end);
    } else if (distance == 1) {
      Symbol step[kStepSymbols];
      for (Symbol& symbol : step) symbol = *from;
      do {
        std::memcpy(to, step, sizeof step);
        to += kStepSymbols;
      } while (to < end);
    } else {
      do {
        *to++ = *from++;
      } while (to < end);
    }
  }

  /// Writes both literals, even if there is only one.
  static Symbol* put_literals(Symbol* out, DeflateEntry entry) {
    out[0] = static_cast<Symbol>((entry >> 16) & 0xff);
    out[1] = static_cast<Symbol>(entry >> 24);
    return out + ((entry & kDeflateLiterals) >> kDeflateLiteralsShift);
  }

  static DeflateLoopEnd run(DeflateLoop<Symbol>& loop) {
    const DeflateEntry* const symbols = loop.tables->symbols();
    const DeflateEntry* const distances = loop.tables->distances();
    constexpr std::uint64_t kSymbolMask = (1U << DeflateTables::kSymbolBits) - 1;
    constexpr std::uint64_t kDistanceMask = (1U << DeflateTables::kDistanceBits) - 1;
    const std::byte* next = loop.next;
    const std::byte* const next_limit = loop.next_limit;
    Symbol* out = loop.out;
    Symbol* const out_limit = loop.out_limit;
    std::uint64_t bits = loop.bits;
    unsigned count = loop.count;
    DeflateLoopEnd end = DeflateLoopEnd::limit;

    const auto refill = [&] {
      std::uint64_t word;
      std::memcpy(&word, next, sizeof word);
      bits |= word << count;
      next += (63 - count) >> 3;
      count |= 56;
    };
    const auto pass = [&](DeflateEntry entry) {
      bits >>= entry & 63;
      count -= entry & 63;
    };

    // The next entry is looked up as soon as its bits are there, before the refill: nothing waits for memory.
    const auto look_up_and_refill = [&] {
      const DeflateEntry entry = symbols[bits & kSymbolMask];
      refill();
      return entry;
    };

    if (next > next_limit) return end;
    refill();
    DeflateEntry entry = symbols[bits & kSymbolMask];
    while (next <= next_limit && out <= out_limit) {
      if ((entry & kDeflateLiterals) != 0) {
        pass(entry);
        out = put_literals(out, entry);
        entry = symbols[bits & kSymbolMask];
        if ((entry & kDeflateLiterals) != 0) {
          pass(entry);
          out = put_literals(out, entry);
          entry = symbols[bits & kSymbolMask];
          if ((entry & kDeflateLiterals) != 0) {
            pass(entry);
            out = put_literals(out, entry);
            entry = symbols[bits & kSymbolMask];
            if ((entry & kDeflateLiterals) != 0) {
              pass(entry);
              out = put_literals(out, entry);
              entry = look_up_and_refill();  // at most 44 of 56 bits are used up
              continue;
            }
          }
        }
        // At most 33 bits are used up, so the 20 bits of a length with its code are left.
      }
      if ((entry & (kDeflateLonger | kDeflateStop)) != 0) {
        if ((entry & kDeflateLonger) != 0) {
          const std::uint64_t behind = bits >> DeflateTables::kSymbolBits;
          constexpr std::uint64_t kSmallMask =
              (1U << (DeflateTables::kLongestCode - DeflateTables::kSymbolBits)) - 1;
          entry = symbols[(entry >> 16) + (behind & kSmallMask)];
          if ((entry & kDeflateStop) == 0 || entry >> 16 == 0) {
            bits = behind;
            count -= DeflateTables::kSymbolBits;
          }
          if ((entry & kDeflateLiterals) != 0) {
            pass(entry);
            out = put_literals(out, entry);
            refill();
            entry = symbols[bits & kSymbolMask];
            continue;
          }
        }
        if ((entry & kDeflateStop) != 0) {
          if (entry >> 16 == 0) {
            pass(entry);
            end = DeflateLoopEnd::block;
          } else {
            end = DeflateLoopEnd::bad_symbol;
          }
          break;
        }
      }
      const std::uint64_t from_length = bits;
      const unsigned length_count = count;
      const auto more_of = [](std::uint64_t from, DeflateEntry with) {
        return (from & ((std::uint64_t{1} << (with & 63)) - 1)) >> (with >> 8 & 15);
      };
      const std::size_t length = (entry >> 16) + more_of(bits, entry);
      pass(entry);
      const std::byte* const next_before = next;
      refill();
      entry = distances[bits & kDistanceMask];
      if ((entry & (kDeflateLonger | kDeflateStop)) != 0) {
        if ((entry & kDeflateLonger) != 0) {
          bits >>= DeflateTables::kDistanceBits;
          count -= DeflateTables::kDistanceBits;
          constexpr std::uint64_t kSmallMask =
              (1U << (DeflateTables::kLongestCode - DeflateTables::kDistanceBits)) - 1;
          entry = distances[(entry >> 16) + (bits & kSmallMask)];
        }
        if ((entry & kDeflateStop) != 0) end = DeflateLoopEnd::bad_distance;
      }
      const std::size_t distance = (entry >> 16) + more_of(bits, entry);
      if (end == DeflateLoopEnd::limit && distance > static_cast<std::size_t>(out - loop.history)) {
        end = DeflateLoopEnd::too_far;
      }
      if (end != DeflateLoopEnd::limit) {
        bits = from_length;
        count = length_count;
        next = next_before;
        break;
      }
      pass(entry);
      entry = look_up_and_refill();
      copy_match(out, distance, length);
      out += length;
    }
    loop.next = next;
    loop.bits = bits;
    loop.count = count;
    loop.out = out;
    return end;
  }
};

}  // namespace shardmill::codec
