#if defined(__x86_64__)

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <vector>

#include "codec/bzip2/lanes.hpp"
#include "support/vector_path.hpp"

namespace shardmill::codec {
namespace {

/// Rows that lead anywhere.
std::vector<std::uint32_t> any_rows(std::size_t count) {
  std::mt19937 random(9);
  std::vector<std::uint32_t> rows(count);
  for (std::uint32_t& row : rows)
    row = static_cast<std::uint32_t>(random() % count) << kRowShift | (random() & 0xff);
  return rows;
}

// Lanes 0 to 31 stop where the portable walk of these rows stops; lanes 32 to 63 go the same ways.
TEST(Bzip2LanesAvx512Test, StopsWhereThePortableWalkStopsInTheSameState) {
  if (!shardmill::testing::can_run(base::VectorPath::avx512)) GTEST_SKIP() << "this CPU has no avx512";
  const auto rows = any_rows(900'000);
  for (const std::uint32_t start_mask : {0U, 31U, 0xfffU, 0xfffffU}) {
    const RowTable table{.entries = rows.data(), .start_mask = start_mask};
    LaneWalk fast;
    for (std::size_t lane = 0; lane < kMaxLanes; ++lane)
      fast.rows[lane] = static_cast<std::uint32_t>(lane % kLanes.count * 28'001 + 1);
    LaneWalk plain = fast;
    const auto fast_bytes = std::make_unique<std::byte[]>(kAllLanesBytes);
    const auto plain_bytes = std::make_unique<std::byte[]>(kAllLanesBytes);
    constexpr std::size_t kEnd = 20 * kLaneTile;
    while (plain.step < kEnd) {
      const std::uint64_t fast_starts = advance_lanes_avx512(table, kEnd, fast, fast_bytes.get());
      const std::uint64_t plain_starts =
          advance_lanes(base::VectorPath::portable, table, kEnd, plain, plain_bytes.get());
      ASSERT_EQ(fast.step, plain.step) << start_mask;
      ASSERT_EQ(fast_starts, plain_starts | plain_starts << 32) << start_mask;
      for (std::size_t lane = 0; lane < kMaxLanes; ++lane)
        ASSERT_EQ(fast.rows[lane], plain.rows[lane % kLanes.count]) << start_mask;
    }
    for (std::size_t lane = 0; lane < kMaxLanes; ++lane) {
      const std::byte* const fast_end = fast_bytes.get() + (lane + 1) * kWideLanes.bytes;
      const std::byte* const plain_end = plain_bytes.get() + (lane % kLanes.count + 1) * kLanes.bytes;
      for (std::size_t i = 1; i <= kEnd; ++i)
        ASSERT_EQ(*(fast_end - i), *(plain_end - i)) << lane << ", " << i;
      ASSERT_EQ(*(fast_end - kEnd - 1), std::byte{0}) << lane;
    }
  }
}

TEST(Bzip2LanesAvx512Test, DoesNothingAtItsEnd) {
  if (!shardmill::testing::can_run(base::VectorPath::avx512)) GTEST_SKIP() << "this CPU has no avx512";
  const auto rows = any_rows(1000);
  LaneWalk walk;
  walk.rows.fill(7);
  const auto begin = walk.rows;
  EXPECT_EQ(advance_lanes_avx512({.entries = rows.data(), .start_mask = 0}, 0, walk, nullptr), 0U);
  EXPECT_EQ(walk.rows, begin);
  EXPECT_EQ(walk.step, 0U);
}

}  // namespace
}  // namespace shardmill::codec

#endif
