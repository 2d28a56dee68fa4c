#if defined(__x86_64__)

#include <gtest/gtest.h>

#include "base/hash/md5_lanes_checks.hpp"
#include "support/vector_path.hpp"

namespace shardmill::base {
namespace {

TEST(Md5LanesAvx512Test, EveryLaneIsAsAloneForAnyNumberOfBlocks) {
  if (!shardmill::testing::can_run(VectorPath::avx512)) GTEST_SKIP() << "this CPU has no avx512";
  for (const std::size_t blocks : {1U, 2U, 3U, 16U, 100U})
    testing::expect_as_one_by_one(update_md5_lanes_avx512, blocks);
}

TEST(Md5LanesAvx512Test, LanesDoNotTouchEachOther) {
  if (!shardmill::testing::can_run(VectorPath::avx512)) GTEST_SKIP() << "this CPU has no avx512";
  testing::expect_lanes_apart(update_md5_lanes_avx512);
}

TEST(Md5LanesAvx512Test, NoBlockChangesNothing) {
  if (!shardmill::testing::can_run(VectorPath::avx512)) GTEST_SKIP() << "this CPU has no avx512";
  Md5LaneWords words = testing::new_md5_lanes();
  update_md5_lanes_avx512(words, Md5LaneData{}, 0);
  EXPECT_EQ(words, testing::new_md5_lanes());
}

}  // namespace
}  // namespace shardmill::base

#endif
