#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "codec/bzip2/block_header.hpp"

namespace shardmill::codec {
namespace {

/// The codes of a canonical code as texts of 0 and 1: shorter ones first, then by symbol.
std::map<std::string, unsigned> codes_by_the_book(const std::vector<std::uint8_t>& lengths) {
  std::map<std::string, unsigned> codes;
  std::uint64_t code = 0;
  for (unsigned bits = 1; bits <= kBzip2MaxCodeBits; ++bits, code <<= 1) {
    for (unsigned symbol = 0; symbol < lengths.size(); ++symbol) {
      if (lengths[symbol] != bits) continue;
      std::string text;
      for (unsigned bit = bits; bit-- > 0;) text += (code >> bit & 1) != 0 ? '1' : '0';
      codes[text] = symbol;
      ++code;
    }
  }
  return codes;
}

/// Lengths of a code that uses all of its room: a tree that grows at random leaves.
std::vector<std::uint8_t> complete_lengths(std::mt19937& random, std::size_t symbols) {
  std::vector<std::uint8_t> lengths{1, 1};
  while (lengths.size() < symbols) {
    std::uint8_t& leaf = lengths[random() % 3 == 0 ? random() % lengths.size() : lengths.size() - 1];
    if (leaf == kBzip2MaxCodeBits) {
      std::shuffle(lengths.begin(), lengths.end(), random);
      continue;
    }
    ++leaf;
    lengths.push_back(leaf);
  }
  std::shuffle(lengths.begin(), lengths.end(), random);
  return lengths;
}

std::uint64_t window_of(const std::string& bits, std::uint64_t rest) {
  std::uint64_t window = 0;
  for (std::size_t i = 0; i < bits.size(); ++i) {
    if (bits[i] == '1') window |= std::uint64_t{1} << (63 - i);
  }
  return window | rest >> bits.size();
}

void expect_by_the_book(const HuffmanTable& table, const std::vector<std::uint8_t>& lengths,
                        std::uint64_t rest) {
  for (const auto& [code, symbol] : codes_by_the_book(lengths)) {
    const std::uint64_t window = window_of(code, rest);
    const HuffmanTable::Symbol found = table.search(window);
    ASSERT_EQ(found.value, symbol) << code;
    ASSERT_EQ(found.bits, code.size());
    const HuffmanTable::Entry entry = table.look_up(window);
    if (code.size() > HuffmanTable::kLookupBits || symbol + 1 == lengths.size()) {
      ASSERT_EQ(entry, 0) << code;
      continue;
    }
    ASSERT_EQ(entry & 63U, code.size());
    ASSERT_EQ(entry >> HuffmanTable::kRunShift & 1U, symbol <= 1 ? 1U : 0U);
    if (symbol <= 1) {
      ASSERT_EQ(entry >> HuffmanTable::kDoubleShift & 1U, symbol);
    } else {
      ASSERT_EQ(entry >> HuffmanTable::kPositionShift, symbol - 1);
    }
  }
}

TEST(HuffmanTable, FindsEverySymbolWhateverFollows) {
  std::mt19937_64 bits(3);
  std::mt19937 random(4);
  for (int round = 0; round < 300; ++round) {
    const auto lengths = complete_lengths(random, 3 + random() % (kBzip2MaxSymbols - 2));
    HuffmanTable table;
    table.build(lengths);
    expect_by_the_book(table, lengths, bits());
  }
}

TEST(HuffmanTable, AnIncompleteCodeHasWindowsThatFitNoSymbol) {
  HuffmanTable table;
  table.build(std::vector<std::uint8_t>{2, 2, 2});  // 00, 01, 10
  EXPECT_EQ(table.search(std::uint64_t{3} << 62).bits, 0u);
  EXPECT_EQ(table.look_up(std::uint64_t{3} << 62), 0);
  EXPECT_EQ(table.search(std::uint64_t{1} << 62).value, 1u);
}

TEST(HuffmanTable, TooManyCodesAreFoundAsFarAsTheyFit) {
  HuffmanTable table;
  table.build(std::vector<std::uint8_t>{1, 1, 1, 5});
  EXPECT_EQ(table.search(0).value, 0u);
  EXPECT_EQ(table.search(~std::uint64_t{0}).value, 1u);
}

}  // namespace
}  // namespace shardmill::codec
