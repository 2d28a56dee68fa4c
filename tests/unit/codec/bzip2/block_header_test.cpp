#include "codec/bzip2/block_header.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "base/io/file.hpp"
#include "codec/bzip2/bit_string.hpp"
#include "codec/bzip2/block.hpp"
#include "codec/bzip2_oracle.hpp"
#include "codec/codec_files.hpp"

namespace shardmill::codec {

namespace {

TEST(Bzip2Scan, FindsTheMagicAtEveryBit) {
  for (const std::size_t size : {6u, 7u, 8u, 12u, 13u, 40u, 64u, 71u, 100u}) {
    for (std::uint64_t bit = 0; bit + 48 <= size * 8; ++bit) {
      std::string bytes = testing::noise(size, bit);
      testing::put_bits(bytes, bit, kBzip2BlockMagic, 48);
      const auto found = find_bzip2_block(base::as_bytes(bytes), 0);
      ASSERT_EQ(found, bit) << size;
      ASSERT_EQ(find_bzip2_block(base::as_bytes(bytes), bit), bit) << size;
      ASSERT_EQ(find_bzip2_block(base::as_bytes(bytes), bit + 1), std::nullopt) << size;
      testing::put_bits(bytes, bit, kBzip2EndMagic, 48);
      ASSERT_EQ(find_bzip2_end(base::as_bytes(bytes), 0), bit) << size;
      ASSERT_EQ(find_bzip2_block(base::as_bytes(bytes), 0), std::nullopt) << size;
    }
  }
}

TEST(Bzip2Scan, AMagicThatIsCutOffIsNone) {
  std::string bytes(20, '\0');
  testing::put_bits(bytes, 107, kBzip2BlockMagic, 48);
  EXPECT_EQ(find_bzip2_block(base::as_bytes(bytes), 0), 107);
  bytes.pop_back();
  EXPECT_EQ(find_bzip2_block(base::as_bytes(bytes), 0), std::nullopt);
}

TEST(Bzip2Scan, FindsAllOfMany) {
  std::string bytes = testing::noise(300'000);
  std::vector<std::uint64_t> expected;
  // Steps of 45 bits overlap: the last three bits of the magic are its first three.
  for (std::uint64_t bit = 5; bit + 48 < bytes.size() * 8; bit += expected.size() % 3 == 0 ? 45 : 1003) {
    testing::put_bits(bytes, bit, kBzip2BlockMagic, 48);
    expected.push_back(bit);
  }
  std::vector<std::uint64_t> found;
  for (auto bit = find_bzip2_block(base::as_bytes(bytes), 0); bit;
       bit = find_bzip2_block(base::as_bytes(bytes), *bit + 1)) {
    found.push_back(*bit);
  }
  EXPECT_EQ(found, expected);
}

}  // namespace

namespace {

using testing::BitString;

/// A header of a block of the bytes 'a' and 'q', in the parts that can be written otherwise.
struct Spelled {
  std::uint64_t magic = kBzip2BlockMagic;
  std::uint64_t rows = 1 << 9 | 1 << 8;  // 0x60 to 0x6f, 0x70 to 0x7f
  std::vector<std::uint64_t> columns{1 << 14, 1 << 14};
  unsigned tables = 2;
  unsigned selectors = 3;
  std::string selector_bits =
      "0"
      "10"
      "10";
  // RUNA, RUNB, the other byte, the end: 2 bits each; then 1, 2, 3 and 3 bits.
  std::vector<std::string> lengths{
      "00010"
      "0"
      "0"
      "0"
      "0",
      "00001"
      "0"
      "100"
      "100"
      "0"};

  BitString bits() const {
    BitString out;
    out.put(magic, 48).put(0xcafe1234, 32).put("1").put(0x012345, 24).put(rows, 16);
    for (const std::uint64_t column : columns) out.put(column, 16);
    out.put(tables, 3).put(selectors, 15).put(selector_bits);
    for (const std::string& table : lengths) out.put(table);
    return out;
  }
};

struct ReadHeader {
  std::string problem;
  std::uint64_t end = 0;
  bool past_end = false;
  std::unique_ptr<Bzip2BlockHeader> header = std::make_unique<Bzip2BlockHeader>();
};

ReadHeader read_spelled(const Spelled& spelled) {
  const std::string bytes = spelled.bits().bytes();
  BitReader bits(base::as_bytes(bytes), 0);
  ReadHeader read;
  read.problem = read_block_header(bits, *read.header);
  read.end = bits.position();
  read.past_end = bits.past_end();
  return read;
}

TEST(Bzip2BlockHeaderTest, ReadsEveryField) {
  const Spelled spelled;
  const ReadHeader read = read_spelled(spelled);
  ASSERT_EQ(read.problem, "");
  EXPECT_EQ(read.end, spelled.bits().size());
  const Bzip2BlockHeader& header = *read.header;
  EXPECT_EQ(header.crc, 0xcafe1234U);
  EXPECT_TRUE(header.randomised);
  EXPECT_EQ(header.origin, 0x012345U);
  ASSERT_EQ(header.symbols_used, 2U);
  EXPECT_EQ(header.used[0], 'a');
  EXPECT_EQ(header.used[1], 'q');
  EXPECT_EQ(header.tables_count, 2U);
  // The front of the list, then twice what stands second: the second table, and the first again.
  ASSERT_EQ(header.selectors_count, 3U);
  EXPECT_EQ(header.selectors[0], 0);
  EXPECT_EQ(header.selectors[1], 1);
  EXPECT_EQ(header.selectors[2], 0);
}

TEST(Bzip2BlockHeaderTest, BuildsTheCodesOfEachTable) {
  const ReadHeader read = read_spelled({});
  ASSERT_EQ(read.problem, "");
  const auto found = [&](unsigned table, std::string_view code) {
    const std::string bytes = BitString().put(code).put(0, 64).bytes();
    return read.header->tables[table].search(BitReader(base::as_bytes(bytes), 0).window());
  };
  EXPECT_EQ(found(0, "11").value, 3U);
  EXPECT_EQ(found(0, "11").bits, 2U);
  EXPECT_EQ(found(1, "0").value, 0U);
  EXPECT_EQ(found(1, "0").bits, 1U);
  EXPECT_EQ(found(1, "10").value, 1U);
  EXPECT_EQ(found(1, "110").value, 2U);
  EXPECT_EQ(found(1, "111").value, 3U);
  EXPECT_EQ(found(1, "111").bits, 3U);
}

TEST(Bzip2BlockHeaderTest, SaysWhatIsWrong) {
  const auto problem = [](auto change) {
    Spelled spelled;
    change(spelled);
    return read_spelled(spelled).problem;
  };
  EXPECT_EQ(problem([](Spelled& s) { s.magic = kBzip2EndMagic; }), "no block begins here");
  EXPECT_EQ(problem([](Spelled& s) { s.rows = 0, s.columns.clear(); }), "no byte is used");
  EXPECT_EQ(problem([](Spelled& s) { s.columns = {0, 0}; }), "no byte is used");
  EXPECT_EQ(problem([](Spelled& s) { s.tables = 1; }), "not 2 to 6 Huffman tables");
  EXPECT_EQ(problem([](Spelled& s) { s.tables = 7; }), "not 2 to 6 Huffman tables");
  EXPECT_EQ(problem([](Spelled& s) { s.selectors = 0, s.selector_bits = ""; }),
            "bad Huffman table selectors");
  EXPECT_EQ(problem([](Spelled& s) {
              s.selector_bits =
                  "0"
                  "110"
                  "0";
            }),
            "bad Huffman table selectors");
  const std::string_view length = "Huffman code length is not 1 to 20";
  EXPECT_EQ(problem([](Spelled& s) {
              s.lengths[0] =
                  "00000"
                  "0000";
            }),
            length);
  EXPECT_EQ(problem([](Spelled& s) {
              s.lengths[1] =
                  "00001"
                  "110"
                  "000";
            }),
            length);
  EXPECT_EQ(problem([](Spelled& s) {
              s.lengths[1] =
                  "10100"
                  "100"
                  "000";
            }),
            length);
  EXPECT_EQ(problem([](Spelled& s) {
              s.lengths[1] =
                  "10100"
                  "0"
                  "0"
                  "0"
                  "0";
            }),
            "");
}

TEST(Bzip2BlockHeaderTest, SelectorsBeyondTheLargestBlockAreReadAndForgotten) {
  Spelled spelled;
  spelled.selectors = kBzip2MaxSelectors + 7;
  spelled.selector_bits.assign(spelled.selectors, '0');
  const ReadHeader read = read_spelled(spelled);
  ASSERT_EQ(read.problem, "");
  EXPECT_EQ(read.header->selectors_count, kBzip2MaxSelectors);
  EXPECT_EQ(read.end, spelled.bits().size());
}

TEST(Bzip2BlockHeaderTest, AHeaderThatIsCutReadsPastItsEndOrIsWrong) {
  const std::string whole = Spelled().bits().bytes();
  for (std::size_t size = 0; size + 1 < whole.size(); ++size) {
    BitReader bits(base::as_bytes(std::string_view(whole).substr(0, size)), 0);
    const auto header = std::make_unique<Bzip2BlockHeader>();
    const std::string problem(read_block_header(bits, *header));
    EXPECT_TRUE(bits.past_end() || !problem.empty()) << size;
  }
}

}  // namespace

}  // namespace shardmill::codec
