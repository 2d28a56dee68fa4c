#include "codec/bzip2/positions.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "base/io/file.hpp"
#include "codec/bzip2/bit_string.hpp"

namespace shardmill::codec {
namespace {

using testing::BitString;
using Positions = std::vector<std::uint8_t>;

/// A code for the symbols RUNA, RUNB, the positions from 1 on, and the end of the block.
struct SymbolCode {
  std::vector<std::string> codes;
  std::vector<std::uint8_t> lengths;
};

/// Four short codes and one for the end.
SymbolCode short_code() {
  return {.codes = {"00", "01", "10", "110", "111"}, .lengths = {2, 2, 2, 3, 3}};
}

/// The same symbols, coded otherwise.
SymbolCode other_short_code() {
  return {.codes = {"110", "111", "00", "01", "10"}, .lengths = {3, 3, 2, 2, 2}};
}

/// 1, 2, 3, ..., 19, 20, 20 bits: most are longer than a lookup.
SymbolCode long_code() {
  SymbolCode code;
  for (std::uint8_t bits = 1; bits <= 20; ++bits) {
    code.codes.push_back(std::string(bits - 1U, '1') + "0");
    code.lengths.push_back(bits);
  }
  code.codes.emplace_back(20, '1');
  code.lengths.push_back(20);
  return code;
}

/// A block after its header: bits, and what a header would have said of them.
class SymbolBlock {
 public:
  explicit SymbolBlock(const SymbolCode& code, unsigned lead_bits = 0)
      : code_(code), header_(std::make_unique<Bzip2BlockHeader>()), lead_bits_(lead_bits) {
    header_->symbols_used = static_cast<unsigned>(code.codes.size()) - 2;
    header_->tables_count = 2;
    header_->tables[0].build(code.lengths);
    header_->tables[1].build(code.lengths);
    std::ranges::fill(header_->selectors, std::uint8_t{0});
    header_->selectors_count = kBzip2MaxSelectors;
    bits_.put(std::string(lead_bits, '1'));
  }

  /// Runs of zeros as digits 1 and 2 of a number, lowest first.
  void put(const Positions& positions) {
    for (std::size_t i = 0; i < positions.size();) {
      const auto end = std::find_if(positions.begin() + static_cast<std::ptrdiff_t>(i), positions.end(),
                                    [](std::uint8_t position) { return position != 0; });
      std::size_t zeros = static_cast<std::size_t>(end - positions.begin()) - i;
      i += zeros;
      for (; zeros > 0; zeros = (zeros - 1) / 2) put_symbol(zeros % 2 == 1 ? 0 : 1);
      if (i < positions.size()) put_symbol(positions[i++] + 1U);
    }
  }
  void put_symbol(std::size_t symbol) {
    const bool is_odd_group = symbols_++ / 50 % 2 == 1;
    bits_.put((is_odd_group && other_ ? *other_ : code_).codes[symbol]);
  }
  /// Every second group of fifty symbols is coded by `other`. To be called before there are symbols.
  void alternate_with(const SymbolCode& other) {
    other_ = other;
    header_->tables[1].build(other.lengths);
    for (std::size_t i = 1; i < header_->selectors.size(); i += 2) header_->selectors[i] = 1;
  }
  void end() { put_symbol(code_.codes.size() - 1); }

  BitString& bits() { return bits_; }
  Bzip2BlockHeader& header() { return *header_; }
  unsigned lead_bits() const { return lead_bits_; }

 private:
  SymbolCode code_;
  std::optional<SymbolCode> other_;
  std::size_t symbols_ = 0;
  std::unique_ptr<Bzip2BlockHeader> header_;
  BitString bits_;
  unsigned lead_bits_;
};

struct ReadPositions {
  std::string problem;
  Positions positions;
  std::uint64_t end = 0;
  bool past_end = false;
};

ReadPositions outcome_of(std::string_view problem, const BitReader& bits, const Bzip2Positions& positions) {
  const std::uint8_t* const rest = positions.bytes.data() + positions.count + 1;
  const std::size_t rest_bytes = positions.bytes.size() - positions.count - 1;
  // All are alike, and the first is zero.
  EXPECT_TRUE(rest_bytes == 0 || (rest[0] == 0 && std::memcmp(rest, rest + 1, rest_bytes - 1) == 0));
  return {.problem = std::string(problem),
          .positions = Positions(positions.bytes.begin(),
                                 positions.bytes.begin() + static_cast<std::ptrdiff_t>(positions.count)),
          .end = bits.position(),
          .past_end = bits.past_end()};
}

class Bzip2PositionsTest : public ::testing::TestWithParam<base::VectorPath> {
 protected:
  ReadPositions read(SymbolBlock& block, std::size_t bytes_after = 0) {
    const std::string bytes = block.bits().bytes() + std::string(bytes_after, '\x55');
    BitReader bits(base::as_bytes(bytes), block.lead_bits());
    const auto problem =
        read_positions(GetParam(), {.bits = bits, .header = block.header(), .positions = *positions_});
    return outcome_of(problem, bits, *positions_);
  }

  /// With more input after both, as all blocks of a file but the last have it: they end while they are read
  /// by turns.
  std::array<ReadPositions, 2> read_two(SymbolBlock& first, SymbolBlock& second) {
    const std::string first_bytes = first.bits().bytes() + std::string(1000, '\x55');
    const std::string second_bytes = second.bits().bytes() + std::string(1000, '\x55');
    BitReader first_bits(base::as_bytes(first_bytes), first.lead_bits());
    BitReader second_bits(base::as_bytes(second_bytes), second.lead_bits());
    const auto problems =
        read_positions(GetParam(), {.bits = first_bits, .header = first.header(), .positions = *positions_},
                       {.bits = second_bits, .header = second.header(), .positions = *others_});
    return {outcome_of(problems[0], first_bits, *positions_), outcome_of(problems[1], second_bits, *others_)};
  }

 private:
  std::unique_ptr<Bzip2Positions> positions_ = std::make_unique<Bzip2Positions>();
  std::unique_ptr<Bzip2Positions> others_ = std::make_unique<Bzip2Positions>();
};

INSTANTIATE_TEST_SUITE_P(Paths, Bzip2PositionsTest, ::testing::ValuesIn(base::available_vector_paths()),
                         [](const auto& path) { return std::string(name(path.param)); });

Positions random_positions(std::size_t count, unsigned most, unsigned seed) {
  std::mt19937 random(seed);
  Positions positions;
  while (positions.size() < count) {
    if (random() % 3 == 0) positions.insert(positions.end(), random() % 70, std::uint8_t{0});
    positions.push_back(static_cast<std::uint8_t>(1 + random() % most));
  }
  return positions;
}

TEST_P(Bzip2PositionsTest, ReadsWhatWasWrittenOfAnyLengthAtAnyBit) {
  for (const SymbolCode& code : {short_code(), long_code()}) {
    const auto most = static_cast<unsigned>(code.codes.size()) - 3;
    for (const std::size_t count : {0U, 1U, 49U, 50U, 51U, 1000U, 30'000U}) {
      for (const unsigned lead : {0U, 1U, 7U}) {
        for (const std::size_t after : {0U, 1000U}) {
          const Positions expected = random_positions(count, most, static_cast<unsigned>(count + lead));
          SymbolBlock block(code, lead);
          block.put(expected);
          block.end();
          const std::uint64_t end = block.bits().size();
          const ReadPositions got = read(block, after);
          ASSERT_EQ(got.problem, "") << count;
          ASSERT_TRUE(got.positions == expected) << count << ", " << lead << ", " << after;
          ASSERT_EQ(got.end, end);
        }
      }
    }
  }
}

TEST_P(Bzip2PositionsTest, RunsOfEveryLength) {
  for (std::size_t zeros = 0; zeros < 600; ++zeros) {
    Positions expected(zeros, 0);
    expected.push_back(2);
    SymbolBlock block(short_code());
    block.put(expected);
    block.end();
    ASSERT_TRUE(read(block).positions == expected) << zeros;
  }
}

TEST_P(Bzip2PositionsTest, EachGroupOfFiftyHasItsOwnTable) {
  SymbolBlock block(short_code());
  block.header().selectors[1] = 1;
  // The second table: the end of the block in one bit.
  block.header().tables[1].build(std::vector<std::uint8_t>{3, 3, 3, 3, 1});
  for (int i = 0; i < 50; ++i) block.put_symbol(2);
  block.bits().put("0");
  const ReadPositions got = read(block, 500);
  EXPECT_EQ(got.problem, "");
  EXPECT_EQ(got.positions, Positions(50, 1));
  EXPECT_EQ(got.end, 101U);
}

TEST_P(Bzip2PositionsTest, ALargestBlockFitsAndOneMoreDoesNot) {
  for (const std::size_t more : {0U, 1U}) {
    SymbolBlock block(short_code());
    block.put(Positions(kBzip2MaxBlockBytes + more, 0));
    block.end();
    const ReadPositions got = read(block);
    EXPECT_EQ(got.problem, more == 0 ? "" : "more than 900000 bytes in a block");
    EXPECT_EQ(got.positions.size(), kBzip2MaxBlockBytes);
  }
}

TEST_P(Bzip2PositionsTest, DigitsOfARunThatNeverEndsAreStopped) {
  SymbolBlock block(short_code());
  for (int i = 0; i < 5000; ++i) block.put_symbol(1);
  EXPECT_EQ(read(block, 1000).problem, "more than 900000 bytes in a block");
}

TEST_P(Bzip2PositionsTest, WhatIsWrongIsSaidNearTheEndOfTheInputAndFarFromIt) {
  for (const std::size_t after : {0U, 1000U}) {
    SymbolBlock no_code(short_code());
    no_code.header().tables[0].build(std::vector<std::uint8_t>{2, 2, 2, 3, 4});
    no_code.put({1, 0, 1});
    no_code.bits().put("1111").put(0, 40);
    EXPECT_EQ(read(no_code, after).problem, "invalid Huffman code");

    SymbolBlock no_selector(short_code());
    no_selector.header().selectors_count = 2;
    no_selector.put(Positions(101, 1));
    no_selector.end();
    EXPECT_EQ(read(no_selector, after).problem, "more symbols than Huffman table selectors");
  }
}

TEST_P(Bzip2PositionsTest, InputThatEndsTooEarlyReadsPastItsEnd) {
  // 110 would be the code of zeros, which follow the input: no end of the block comes.
  SymbolBlock block(short_code());
  block.put(Positions(1000, 2));
  const ReadPositions got = read(block);
  EXPECT_TRUE(got.past_end || !got.problem.empty());
}

TEST_P(Bzip2PositionsTest, TwoBlocksAtOnceAreAsEachAlone) {
  const auto block_of = [](std::size_t count, const SymbolCode& code, unsigned lead) {
    SymbolBlock block(code, lead);
    if (code.codes.size() == 5) block.alternate_with(other_short_code());
    block.put(random_positions(count, static_cast<unsigned>(code.codes.size()) - 3, 8));
    block.end();
    return block;
  };
  for (const std::size_t first_count : {0U, 60U, 20'000U}) {
    for (const std::size_t second_count : {0U, 75U, 9000U, 20'000U}) {
      SymbolBlock first = block_of(first_count, short_code(), 3);
      SymbolBlock second = block_of(second_count, long_code(), 0);
      const ReadPositions first_alone = read(first);
      const ReadPositions second_alone = read(second);
      const auto [first_read, second_read] = read_two(first, second);
      EXPECT_EQ(first_read.problem, "");
      EXPECT_EQ(second_read.problem, "");
      EXPECT_TRUE(first_read.positions == first_alone.positions) << first_count << ", " << second_count;
      EXPECT_TRUE(second_read.positions == second_alone.positions) << first_count << ", " << second_count;
      EXPECT_EQ(first_read.end, first_alone.end);
      EXPECT_EQ(second_read.end, second_alone.end);
    }
  }
}

TEST_P(Bzip2PositionsTest, RunsOfTwoBlocksAtOnceAreAsThoseOfEachAlone) {
  std::mt19937 random(5);
  const auto block_of = [&](unsigned symbols, unsigned digits_of_ten) {
    SymbolBlock block(short_code());
    block.alternate_with(other_short_code());
    for (unsigned i = 0; i < symbols; ++i)
      block.put_symbol(random() % 10 < digits_of_ten ? random() % 2 : 2 + random() % 2);
    block.end();
    return block;
  };
  for (const unsigned digits_of_ten : {0U, 1U, 3U, 6U, 9U}) {  // 9: some are too long
    for (const unsigned symbols : {31U, 32U, 799U, 800U, 801U, 849U, 5000U, 20'000U}) {
      SymbolBlock first = block_of(symbols, digits_of_ten);
      SymbolBlock second = block_of(symbols + 70 - digits_of_ten, (digits_of_ten + 4) % 10);
      const std::array alone{read(first, 1000), read(second, 1000)};
      const std::array both = read_two(first, second);
      for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_EQ(both[i].problem, alone[i].problem);
        EXPECT_TRUE(both[i].positions == alone[i].positions) << symbols << ", " << digits_of_ten << ", " << i;
        if (alone[i].problem.empty()) {
          EXPECT_EQ(both[i].end, alone[i].end);
        }
      }
    }
  }
}

TEST_P(Bzip2PositionsTest, AProblemOfOneBlockIsNotThatOfTheOther) {
  SymbolBlock wrong(short_code());
  wrong.header().selectors_count = 4;
  wrong.put(Positions(3000, 1));
  wrong.end();
  SymbolBlock good(short_code());
  const Positions expected = random_positions(3000, 2, 4);
  good.put(expected);
  good.end();
  const auto [first, second] = read_two(wrong, good);
  EXPECT_EQ(first.problem, "more symbols than Huffman table selectors");
  EXPECT_EQ(second.problem, "");
  EXPECT_TRUE(second.positions == expected);
}

}  // namespace
}  // namespace shardmill::codec
