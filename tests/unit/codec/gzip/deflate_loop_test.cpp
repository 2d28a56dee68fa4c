#include "codec/gzip/deflate_loop.hpp"

#include <gtest/gtest.h>

#include "codec/gzip/deflate_loop_checks.hpp"

namespace shardmill::codec {
namespace {

TEST(DeflateLoopTest, CopiesOfAllLengthsFromAllDistances) {
  testing::expect_all_copies<std::uint8_t>(run_deflate_loop);
  testing::expect_all_copies<std::uint16_t>(run_deflate_loop);
}

TEST(DeflateLoopTest, GoesOnWhereItStopped) {
  testing::expect_stops_anywhere<std::uint8_t>(run_deflate_loop);
  testing::expect_stops_anywhere<std::uint16_t>(run_deflate_loop);
}

TEST(DeflateLoopTest, WhatCannotBeDecodedIsLeftWhereItIs) {
  testing::expect_problems_kept<std::uint8_t>(run_deflate_loop);
  testing::expect_problems_kept<std::uint16_t>(run_deflate_loop);
}

TEST(DeflateLoopTest, MarkersAreCopiedAsTheyAre) {
  // Symbols from 256 on stand for bytes that are not known yet.
  testing::DeflateBits bits;
  bits.match(4, 3).symbol('x').match(3, 1).symbol(256);
  testing::DeflateLoopRun<std::uint16_t> run(run_deflate_loop, bits, 100, 100);
  run.set_history({400, 401, 402});
  ASSERT_EQ(run.go(), DeflateLoopEnd::block);
  EXPECT_EQ(run.written(),
            (std::vector<std::uint16_t>{400, 401, 402, 400, 401, 402, 400, 'x', 'x', 'x', 'x'}));
}

}  // namespace
}  // namespace shardmill::codec
