#include "codec/bzip2/mtf/mtf.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "codec/bzip2/mtf/mtf_oracle.hpp"

namespace shardmill::codec {

namespace {

TEST(MtfPortableTest, SizesNearItsStepsAreAsByTheBook) {
  testing::expect_by_the_book(undo_move_to_front_portable, 16);
}

TEST(MtfPortableTest, ClosesTheGapWhereverTheSymbolStood) {
  testing::expect_every_place_closes(undo_move_to_front_portable);
}

}  // namespace

namespace {

using testing::by_the_book;

class Bzip2MtfTest : public ::testing::TestWithParam<base::VectorPath> {};

INSTANTIATE_TEST_SUITE_P(Paths, Bzip2MtfTest, ::testing::ValuesIn(base::available_vector_paths()),
                         [](const auto& path) { return std::string(name(path.param)); });

TEST_P(Bzip2MtfTest, IsAsByTheBook) {
  std::mt19937 random(1);
  MoveToFrontList list;
  for (unsigned i = 0; i < list.size(); ++i) list[i] = static_cast<std::uint8_t>(i * 7 + 3);
  for (const std::size_t size : {0U, 1U, 31U, 32U, 33U, 511U, 512U, 513U, 2047U, 2048U, 2049U, 100'000U}) {
    for (const unsigned symbols : {1U, 2U, 3U, 17U, 64U, 65U, 255U, 256U}) {
      for (const unsigned zeros_in_8 : {0U, 4U, 7U}) {
        std::vector<std::uint8_t> positions(size);
        for (std::uint8_t& position : positions) {
          position = static_cast<std::uint8_t>(random() % 8 < zeros_in_8 ? 0 : random() % symbols);
        }
        const auto expected = by_the_book(positions, list);
        undo_move_to_front(GetParam(), positions, list);
        ASSERT_TRUE(positions == expected) << size << " of " << symbols;
      }
    }
  }
}

TEST_P(Bzip2MtfTest, TakesTheLastPlaceAgainAndAgain) {
  MoveToFrontList list;
  for (unsigned i = 0; i < list.size(); ++i) list[i] = static_cast<std::uint8_t>(255 - i);
  std::vector<std::uint8_t> positions(10'000, 255);
  const auto expected = by_the_book(positions, list);
  undo_move_to_front(GetParam(), positions, list);
  EXPECT_TRUE(positions == expected);
}

}  // namespace

}  // namespace shardmill::codec
