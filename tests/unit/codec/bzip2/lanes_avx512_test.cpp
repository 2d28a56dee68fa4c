#if defined(__x86_64__)

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <vector>

#include "codec/bzip2/lanes.hpp"
#include "support/vector_path.hpp"

namespace shardmill::codec {
namespace {

/// Rows that lead anywhere; one in `mark_every` is marked.
std::vector<std::uint32_t> rows_with_marks(std::size_t count, std::size_t mark_every) {
  std::mt19937 random(9);
  std::vector<std::uint32_t> rows(count);
  for (std::size_t i = 0; i < count; ++i) {
    rows[i] = static_cast<std::uint32_t>(random() % count) << kRowShift | (random() & 0xff);
    if (i % mark_every == 0) rows[i] |= kRowMark;
  }
  return rows;
}

TEST(Bzip2LanesAvx512Test, StopsWhereThePortableWalkStopsInTheSameState) {
  if (!shardmill::testing::can_run(base::VectorPath::avx512)) GTEST_SKIP() << "this CPU has no avx512";
  // The largest number of rows that a block has, so that the highest bits of an entry count, too.
  for (const std::size_t mark_every : {1U, 31U, 5000U, 900'000U}) {
    const auto rows = rows_with_marks(900'000, mark_every);
    LaneWalk fast;
    for (std::size_t lane = 0; lane < kLanes; ++lane) fast.here[lane] = rows[lane * 28'001 + 1];
    LaneWalk plain = fast;
    const auto fast_bytes = std::make_unique<std::byte[]>(kLanes * kLaneBytes);
    const auto plain_bytes = std::make_unique<std::byte[]>(kLanes * kLaneBytes);
    constexpr std::size_t kEnd = 20 * kLaneTile;
    while (plain.step < kEnd) {
      advance_lanes_avx512(rows.data(), kEnd, fast, fast_bytes.get());
      advance_lanes(base::VectorPath::portable, rows.data(), kEnd, plain, plain_bytes.get());
      ASSERT_EQ(fast.step, plain.step) << mark_every;
      ASSERT_EQ(fast.here, plain.here) << mark_every;
      ASSERT_EQ(fast.before, plain.before) << mark_every;
    }
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      for (std::size_t i = 0; i < kEnd; ++i)
        ASSERT_EQ(fast_bytes[lane * kLaneBytes + i], plain_bytes[lane * kLaneBytes + i]) << lane << ", " << i;
      // Nothing is written after the last step of a lane.
      ASSERT_EQ(fast_bytes[lane * kLaneBytes + kEnd], std::byte{0}) << lane;
    }
  }
}

TEST(Bzip2LanesAvx512Test, DoesNothingAtItsEnd) {
  if (!shardmill::testing::can_run(base::VectorPath::avx512)) GTEST_SKIP() << "this CPU has no avx512";
  const auto rows = rows_with_marks(1000, 1000);
  LaneWalk walk;
  for (std::size_t lane = 0; lane < kLanes; ++lane) walk.here[lane] = rows[lane];
  const auto begin = walk.here;
  advance_lanes_avx512(rows.data(), 0, walk, nullptr);
  EXPECT_EQ(walk.here, begin);
  EXPECT_EQ(walk.step, 0U);
}

}  // namespace
}  // namespace shardmill::codec

#endif
