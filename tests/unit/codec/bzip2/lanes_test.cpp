#include "codec/bzip2/lanes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace shardmill::codec {
namespace {

class Bzip2LanesTest : public ::testing::TestWithParam<base::VectorPath> {};

INSTANTIATE_TEST_SUITE_P(Paths, Bzip2LanesTest, ::testing::ValuesIn(base::available_vector_paths()),
                         [](const auto& path) { return std::string(name(path.param)); });

/// One cycle through all rows in random order, each with a random byte.
std::vector<std::uint32_t> random_rows(std::size_t count, std::mt19937& random) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0U);
  std::shuffle(order.begin(), order.end(), random);
  std::vector<std::uint32_t> rows(count);
  for (std::size_t i = 0; i < count; ++i)
    rows[order[i]] = order[(i + 1) % count] << kRowShift | (random() & 0xff);
  return rows;
}

/// A walk, and what each lane must have written after any number of steps.
class Walk {
 public:
  Walk(base::VectorPath path, const RowTable& table, std::size_t rows, std::mt19937& random)
      : path_(path), table_(table), shape_(lane_shape(path)) {
    for (std::size_t lane = 0; lane < shape_.count; ++lane)
      walk.rows[lane] = static_cast<std::uint32_t>(random() % rows);
    begin_ = walk.rows;
  }
  std::uint64_t advance(std::size_t end) { return advance_lanes(path_, table_, end, walk, lanes_.get()); }

  /// `walk.step` is a multiple of kLaneTile.
  void expect_as_alone() const {
    for (std::size_t lane = 0; lane < shape_.count; ++lane) {
      std::uint32_t row = begin_[lane];
      const std::byte* const end = lanes_.get() + (lane + 1) * shape_.bytes;
      for (std::size_t step = 1; step <= walk.step; ++step, row = table_.entries[row] >> kRowShift)
        ASSERT_EQ(*(end - step), static_cast<std::byte>(table_.entries[row])) << lane << " " << step;
      ASSERT_EQ(walk.rows[lane], row);
      // Nothing is written before the last step of a lane.
      if (walk.step < shape_.bytes) {
        ASSERT_EQ(*(end - walk.step - 1), std::byte{0}) << lane;
      }
    }
  }
  std::uint64_t lanes_at_starts() const {
    std::uint64_t lanes = 0;
    for (std::size_t lane = 0; lane < shape_.count; ++lane)
      lanes |= std::uint64_t{table_.is_start(walk.rows[lane]) ? 1U : 0U} << lane;
    return lanes;
  }

  LaneWalk walk;

 private:
  base::VectorPath path_;
  RowTable table_;
  LaneShape shape_;
  std::array<std::uint32_t, kMaxLanes> begin_;
  std::unique_ptr<std::byte[]> lanes_ = std::make_unique<std::byte[]>(kAllLanesBytes);
};

TEST_P(Bzip2LanesTest, EveryLaneWalksAsItWouldAlone) {
  std::mt19937 random(1);
  for (const std::size_t steps : {16U, 32U, 160U, 4000U}) {
    // The largest number of rows that a block has, so that the highest bits of an entry count, too.
    const auto rows = random_rows(900'000, random);
    Walk walk(GetParam(), {.entries = rows.data(), .start_mask = 0xfffff}, rows.size(), random);
    while (walk.walk.step < steps) walk.advance(steps);
    ASSERT_EQ(walk.walk.step, steps);
    ASSERT_NO_FATAL_FAILURE(walk.expect_as_alone());
  }
}

TEST_P(Bzip2LanesTest, FillsItsLanesAndStopsThere) {
  std::mt19937 random(3);
  const auto rows = random_rows(5000, random);
  const std::size_t end = lane_shape(GetParam()).bytes;
  Walk walk(GetParam(), {.entries = rows.data(), .start_mask = 0xff}, rows.size(), random);
  while (walk.walk.step < end) walk.advance(end);
  ASSERT_EQ(walk.walk.step, end);
  ASSERT_NO_FATAL_FAILURE(walk.expect_as_alone());
  EXPECT_EQ(walk.advance(end), 0U);
  ASSERT_NO_FATAL_FAILURE(walk.expect_as_alone());
}

TEST_P(Bzip2LanesTest, StopsAtEveryStartAndGoesOnFromThere) {
  std::mt19937 random(2);
  const auto rows = random_rows(20'000, random);
  Walk walk(GetParam(), {.entries = rows.data(), .start_mask = 0x7f}, rows.size(), random);
  constexpr std::size_t kSteps = 640;
  std::size_t stops = 0;
  while (walk.walk.step < kSteps) {
    const std::size_t before = walk.walk.step;
    const std::uint64_t started = walk.advance(kSteps);
    ASSERT_GT(walk.walk.step, before);
    ASSERT_EQ(started, walk.lanes_at_starts());
    ASSERT_TRUE(started != 0 || walk.walk.step == kSteps);
    stops += started != 0 ? 1 : 0;
  }
  // With 32 lanes about every fourth step meets one of 128 rows.
  EXPECT_GT(stops, 100U);
  ASSERT_NO_FATAL_FAILURE(walk.expect_as_alone());
}

}  // namespace
}  // namespace shardmill::codec
