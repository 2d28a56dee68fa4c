#if defined(__x86_64__)

#include <gtest/gtest.h>

#include "codec/gzip/deflate_loop.hpp"
#include "codec/gzip/deflate_loop_checks.hpp"
#include "support/vector_path.hpp"

namespace shardmill::codec {
namespace {

TEST(DeflateLoopAvx2Test, CopiesOfAllLengthsFromAllDistances) {
  if (!shardmill::testing::can_run(base::VectorPath::avx2)) GTEST_SKIP() << "this CPU has no avx2";
  testing::expect_all_copies<std::uint8_t>(run_deflate_loop_avx2);
  testing::expect_all_copies<std::uint16_t>(run_deflate_loop_avx2);
}

TEST(DeflateLoopAvx2Test, GoesOnWhereItStopped) {
  if (!shardmill::testing::can_run(base::VectorPath::avx2)) GTEST_SKIP() << "this CPU has no avx2";
  testing::expect_stops_anywhere<std::uint8_t>(run_deflate_loop_avx2);
  testing::expect_stops_anywhere<std::uint16_t>(run_deflate_loop_avx2);
}

TEST(DeflateLoopAvx2Test, WhatCannotBeDecodedIsLeftWhereItIs) {
  if (!shardmill::testing::can_run(base::VectorPath::avx2)) GTEST_SKIP() << "this CPU has no avx2";
  testing::expect_problems_kept<std::uint8_t>(run_deflate_loop_avx2);
  testing::expect_problems_kept<std::uint16_t>(run_deflate_loop_avx2);
}

}  // namespace
}  // namespace shardmill::codec

#endif
