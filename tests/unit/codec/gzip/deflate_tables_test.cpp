#include "codec/gzip/deflate_tables.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "codec/gzip/deflate_bits_written.hpp"

namespace shardmill::codec {
namespace {

using Lengths = std::vector<std::uint8_t>;

using testing::kDistanceBase;
using testing::kDistanceMore;
using testing::kLengthBase;
using testing::kLengthMore;

/// Section 3.2.2: the code of each symbol, its first bit lowest.
std::vector<std::uint32_t> codes_of(const Lengths& lengths) {
  std::array<std::uint32_t, 17> next{};
  std::array<std::uint32_t, 17> count{};
  for (const auto length : lengths) ++count[length];
  count[0] = 0;
  for (unsigned bits = 1; bits < next.size(); ++bits) next[bits] = (next[bits - 1] + count[bits - 1]) << 1;
  std::vector<std::uint32_t> codes;
  for (const auto length : lengths) {
    const std::uint32_t code = length == 0 ? 0 : next[length]++;
    std::uint32_t reversed = 0;
    for (unsigned i = 0; i < length; ++i) reversed |= (code >> i & 1) << (length - 1 - i);
    codes.push_back(reversed);
  }
  return codes;
}

/// What stands in the tables for the bits that come next, and how many bits of a longer code came before.
struct Found {
  DeflateEntry entry;
  unsigned before = 0;
};
Found look_up(const DeflateEntry* table, unsigned table_bits, std::uint64_t bits) {
  const DeflateEntry entry = table[bits & ((1U << table_bits) - 1)];
  if ((entry & kDeflateLonger) == 0) return {entry};
  const std::uint64_t rest = bits >> table_bits & ((1U << (DeflateTables::kLongestCode - table_bits)) - 1);
  return {table[(entry >> 16) + rest], table_bits};
}
unsigned own_bits(DeflateEntry entry) {
  return entry >> 8 & 15;
}
unsigned all_bits(DeflateEntry entry) {
  return entry & 255;
}

/// Every symbol is found by its code, whatever follows.
void expect_all_found(const DeflateTables& tables, const Lengths& symbols, const Lengths& distances) {
  std::mt19937_64 random(symbols.size());
  const auto codes = codes_of(symbols);
  for (std::size_t symbol = 0; symbol < symbols.size(); ++symbol) {
    if (symbols[symbol] == 0) continue;
    for (int i = 0; i < 20; ++i) {
      const std::uint64_t bits = codes[symbol] | random() << symbols[symbol];
      const auto [entry, before] = look_up(tables.symbols(), DeflateTables::kSymbolBits, bits);
      ASSERT_EQ(before + own_bits(entry), symbols[symbol]) << symbol;
      if (symbol < 256) {
        ASSERT_EQ(entry >> 16 & 255, symbol);
        const unsigned literals = (entry & kDeflateLiterals) >> kDeflateLiteralsShift;
        ASSERT_GE(literals, 1U);
        if (literals == 1) continue;
        // Two in one: the second is the one that stands there.
        const std::uint64_t second = bits >> symbols[symbol];
        const std::size_t expected = entry >> 24;
        ASSERT_EQ(second & ((1U << symbols[expected]) - 1), codes[expected]) << symbol << ", " << expected;
        ASSERT_EQ(all_bits(entry), symbols[symbol] + symbols[expected]);
      } else if (symbol == 256) {
        ASSERT_EQ(entry & (kDeflateStop | kDeflateLiterals), kDeflateStop);
        ASSERT_EQ(entry >> 16, 0U);
      } else if (symbol < 286) {
        ASSERT_EQ(entry & (kDeflateStop | kDeflateLiterals), 0U);
        ASSERT_EQ(entry >> 16, kLengthBase[symbol - 257]);
        ASSERT_EQ(all_bits(entry) - own_bits(entry), kLengthMore[symbol - 257]);
      } else {
        ASSERT_NE(entry & kDeflateStop, 0U);
        ASSERT_EQ(entry >> 16, 1U);
      }
    }
  }
  const auto far = codes_of(distances);
  for (std::size_t symbol = 0; symbol < distances.size(); ++symbol) {
    if (distances[symbol] == 0) continue;
    const std::uint64_t bits = far[symbol] | random() << distances[symbol];
    const auto [entry, before] = look_up(tables.distances(), DeflateTables::kDistanceBits, bits);
    ASSERT_EQ(before + own_bits(entry), distances[symbol]) << symbol;
    if (symbol >= 30) {
      ASSERT_NE(entry & kDeflateStop, 0U);
      continue;
    }
    ASSERT_EQ(entry & kDeflateStop, 0U);
    ASSERT_EQ(entry >> 16, kDistanceBase[symbol]);
    ASSERT_EQ(all_bits(entry) - own_bits(entry), kDistanceMore[symbol]);
  }
}

/// Lengths of a full set of codes for `used` symbols, as some leaves of a random tree have them.
Lengths full_lengths(std::mt19937_64& random, std::size_t used, std::size_t all, std::size_t must_have) {
  Lengths leaves{0};
  while (leaves.size() < used) {
    const std::size_t place = random() % leaves.size();
    if (leaves[place] == DeflateTables::kLongestCode) continue;
    leaves.push_back(++leaves[place]);
  }
  Lengths lengths(all, 0);
  lengths[must_have] = leaves.back();
  leaves.pop_back();
  while (!leaves.empty()) {
    const std::size_t place = random() % all;
    if (lengths[place] != 0) continue;
    lengths[place] = leaves.back();
    leaves.pop_back();
  }
  return lengths;
}

TEST(DeflateTablesTest, TheFixedCodes) {
  const auto tables = std::make_unique<DeflateTables>();
  tables->build_fixed();
  Lengths symbols(288, 8);
  std::fill(symbols.begin() + 144, symbols.begin() + 256, std::uint8_t{9});
  std::fill(symbols.begin() + 256, symbols.begin() + 280, std::uint8_t{7});
  expect_all_found(*tables, symbols, Lengths(32, 5));
}

TEST(DeflateTablesTest, AnySetOfCodes) {
  const auto tables = std::make_unique<DeflateTables>();
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const Lengths symbols = full_lengths(random, 2 + random() % 285, 286, 256);
    const Lengths distances = full_lengths(random, 2 + random() % 29, 30, 0);
    ASSERT_EQ(tables->build(symbols, distances), nullptr);
    ASSERT_NO_FATAL_FAILURE(expect_all_found(*tables, symbols, distances));
  }
}

TEST(DeflateTablesTest, CodesOfEveryLengthUpToFifteen) {
  // 1, 2, ..., 14, 15, 15: most are longer than a lookup.
  const auto tables = std::make_unique<DeflateTables>();
  Lengths symbols(286, 0);
  for (std::uint8_t i = 0; i < 15; ++i) symbols[i] = static_cast<std::uint8_t>(i + 1);
  symbols[256] = 15;
  Lengths distances(30, 0);
  for (std::uint8_t i = 0; i < 15; ++i) distances[29 - i] = static_cast<std::uint8_t>(i + 1);
  distances[0] = 15;
  ASSERT_EQ(tables->build(symbols, distances), nullptr);
  expect_all_found(*tables, symbols, distances);
}

TEST(DeflateTablesTest, WhatZlibAcceptsThoughItIsNotFull) {
  // One code of one bit, or none; the other bit stands for nothing.
  const auto tables = std::make_unique<DeflateTables>();
  Lengths symbols(257, 0);
  symbols[256] = 1;
  Lengths distances(30, 0);
  EXPECT_EQ(tables->build(symbols, distances), nullptr);
  EXPECT_EQ(look_up(tables->symbols(), DeflateTables::kSymbolBits, 1).entry >> 16, 1U);
  EXPECT_NE(look_up(tables->distances(), DeflateTables::kDistanceBits, 0).entry & kDeflateStop, 0U);
  distances[4] = 1;
  EXPECT_EQ(tables->build(symbols, distances), nullptr);
  EXPECT_EQ(look_up(tables->distances(), DeflateTables::kDistanceBits, 0).entry >> 16, 5U);
  EXPECT_NE(look_up(tables->distances(), DeflateTables::kDistanceBits, 1).entry & kDeflateStop, 0U);
}

TEST(DeflateTablesTest, WhatIsWrongInZlibsWords) {
  const auto tables = std::make_unique<DeflateTables>();
  const auto problem = [&](const Lengths& symbols, const Lengths& distances) {
    const char* const text = tables->build(symbols, distances);
    return std::string(text == nullptr ? "nothing" : text);
  };
  Lengths good(257, 0);
  good[0] = good[256] = 1;
  const Lengths two{1, 1};
  EXPECT_EQ(problem(good, two), "nothing");
  Lengths symbols = good;
  symbols[256] = 0;
  EXPECT_EQ(problem(symbols, two), "invalid code -- missing end-of-block");
  symbols = good;
  symbols[1] = 1;  // too many
  EXPECT_EQ(problem(symbols, two), "invalid literal/lengths set");
  symbols = good;
  symbols[0] = 2;  // too few
  EXPECT_EQ(problem(symbols, two), "invalid literal/lengths set");
  EXPECT_EQ(problem(good, {1, 1, 1}), "invalid distances set");
  EXPECT_EQ(problem(good, {2, 1}), "invalid distances set");
  EXPECT_EQ(problem(good, {2}), "invalid distances set");
}

}  // namespace
}  // namespace shardmill::codec
