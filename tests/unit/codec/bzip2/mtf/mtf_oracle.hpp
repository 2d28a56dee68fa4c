// Undoes move-to-front as the format describes it, and compares the code of one instruction set with that.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "codec/bzip2/mtf/mtf.hpp"

namespace shardmill::codec::testing {

/// Treats one symbol at a time.
inline std::vector<std::uint8_t> by_the_book(std::vector<std::uint8_t> positions, MoveToFrontList list) {
  for (std::uint8_t& position : positions) {
    const auto place = list.begin() + position;
    std::rotate(list.begin(), place, place + 1);
    position = list[0];
  }
  return positions;
}

using UndoMoveToFront = void (*)(std::uint8_t* positions, std::size_t size, const std::uint8_t* list);

/// `lanes`: how many bytes a vector has. The code treats 32 symbols for each of them in one step, so sizes
/// near one and two steps are tried, and some that end inside a batch of 32.
inline void expect_by_the_book(UndoMoveToFront undo, std::size_t lanes) {
  constexpr std::uint8_t kGuard = 0xa5;
  std::mt19937 random(lanes == 0 ? 1 : static_cast<unsigned>(lanes));
  const std::size_t step = 32 * lanes;
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{16}, std::size_t{33}, step - 1,
                                 step, step + 1, 2 * step - 31, 2 * step, 2 * step + 33}) {
    for (const unsigned symbols : {1U, 5U, 16U, 129U, 256U}) {
      MoveToFrontList list;
      for (unsigned i = 0; i < list.size(); ++i) list[i] = static_cast<std::uint8_t>(i * 31 + 7);
      std::vector<std::uint8_t> positions(size);
      for (std::uint8_t& position : positions) position = static_cast<std::uint8_t>(random() % symbols);
      const auto expected = by_the_book(positions, list);
      positions.resize(size + 64, kGuard);  // what follows is not ours
      undo(positions.data(), size, list.data());
      EXPECT_TRUE(std::equal(expected.begin(), expected.end(), positions.begin()))
          << size << " of " << symbols;
      EXPECT_EQ(std::count(positions.begin() + static_cast<std::ptrdiff_t>(size), positions.end(), kGuard),
                64)
          << size;
    }
  }
}

/// Each place of the list is used last once, so every way to close the gap in it is taken.
inline void expect_every_place_closes(UndoMoveToFront undo) {
  MoveToFrontList list;
  for (unsigned i = 0; i < list.size(); ++i) list[i] = static_cast<std::uint8_t>(i);
  for (unsigned place = 0; place < 256; ++place) {
    std::vector<std::uint8_t> positions(100, 0);
    positions[0] = static_cast<std::uint8_t>(place);
    // After the first batch the list is asked for all its places.
    for (unsigned i = 0; i < 256; ++i) positions.push_back(255);
    const auto expected = by_the_book(positions, list);
    undo(positions.data(), positions.size(), list.data());
    ASSERT_EQ(positions, expected) << place;
  }
}

}  // namespace shardmill::codec::testing
