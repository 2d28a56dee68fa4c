#include "codec/bzip2/inverse_bwt.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <vector>

namespace shardmill::codec {
namespace {

// Follows one row after another, as the format describes it.
std::vector<std::byte> by_the_book(const std::vector<std::uint8_t>& column, std::uint32_t origin) {
  std::array<std::vector<std::uint32_t>, 256> rows;
  for (std::uint32_t row = 0; row < column.size(); ++row) rows[column[row]].push_back(row);
  std::vector<std::uint32_t> next;
  for (const auto& sorted : rows) next.insert(next.end(), sorted.begin(), sorted.end());
  std::vector<std::byte> out;
  for (std::uint32_t row = origin; out.size() < column.size();) {
    row = next[row];
    out.push_back(std::byte{column[row]});
  }
  return out;
}

class Bzip2InverseBwtTest : public ::testing::TestWithParam<base::VectorPath> {
 protected:
  void expect_by_the_book(const std::vector<std::uint8_t>& column, std::uint32_t origin) {
    std::vector<std::byte> out(column.size());
    inverse.link(column);
    inverse.walk(GetParam(), origin, out);
    EXPECT_TRUE(out == by_the_book(column, origin)) << column.size() << " from " << origin;
  }

  InverseBwt inverse;
};

INSTANTIATE_TEST_SUITE_P(Paths, Bzip2InverseBwtTest, ::testing::ValuesIn(base::available_vector_paths()),
                         [](const auto& path) { return std::string(name(path.param)); });

TEST_P(Bzip2InverseBwtTest, IsAsByTheBookOnAnyColumn) {
  std::mt19937 random(1);
  for (const std::size_t size : {1U, 2U, 3U, 64U, 65U, 1000U, 2048U, 2049U, 70'000U}) {
    for (const unsigned symbols : {1U, 2U, 5U, 256U}) {
      std::vector<std::uint8_t> column(size);
      for (std::uint8_t& byte : column) byte = static_cast<std::uint8_t>(random() % symbols);
      expect_by_the_book(column, 0);
      expect_by_the_book(column, static_cast<std::uint32_t>(size - 1));
      expect_by_the_book(column, static_cast<std::uint32_t>(random() % size));
    }
  }
}

// A column of two runs leads from each row to one at a fixed distance. When this distance is a multiple of
// the distance between starts, some walks end at once and one is as long as the block.
TEST_P(Bzip2InverseBwtTest, TakesWalksOfVeryUnequalLength) {
  for (const std::size_t size : {899'999U, 900'000U, 100'003U}) {
    for (const std::size_t distance : {1U, 64U, 512U}) {
      if (distance >= size) continue;
      std::vector<std::uint8_t> column(size, 'a');
      std::fill_n(column.begin(), distance, std::uint8_t{'b'});
      expect_by_the_book(column, 0);
      expect_by_the_book(column, 77);
    }
  }
}

// The first rows lead only to each other, in cycles that meet a start or none; the others lead anywhere. A
// block whose rows form more than one cycle is damaged, but libbz2 decodes it, too.
TEST_P(Bzip2InverseBwtTest, RepeatsACycleOfAnyLength) {
  std::mt19937 random(4);
  for (const std::size_t size : {70'000U, 70'001U, 900'000U}) {
    for (const std::size_t cycle : {1U, 2U, 3U, 63U, 64U, 511U, 5000U}) {
      if (size == 900'000U && cycle != 1U && cycle != 64U) continue;  // a whole block takes long
      // The smallest bytes are in rows 0 to cycle - 1 of the first and of the last column.
      std::vector<std::uint8_t> column(size);
      for (std::size_t i = 0; i < size; ++i)
        column[i] = static_cast<std::uint8_t>(i < cycle ? random() % 3 : 3 + random() % 9);
      for (const std::uint32_t origin : {0U, 1U, 63U, 64U, 300U}) expect_by_the_book(column, origin);
      expect_by_the_book(column, static_cast<std::uint32_t>(cycle));
      expect_by_the_book(column, static_cast<std::uint32_t>(size - 1));
    }
  }
}

}  // namespace
}  // namespace shardmill::codec
