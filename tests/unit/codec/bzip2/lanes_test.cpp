#include "codec/bzip2/lanes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
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

TEST_P(Bzip2LanesTest, EveryLaneWalksAsItWouldAlone) {
  std::mt19937 random(1);
  for (const std::size_t steps : {16U, 32U, 160U, 4000U}) {
    const auto rows = random_rows(50'000, random);
    LaneWalk walk;
    for (std::uint32_t& entry : walk.here) entry = rows[random() % rows.size()];
    const auto begin = walk.here;
    const auto lanes = std::make_unique<std::byte[]>(kLanes * kLaneBytes);
    advance_lanes(GetParam(), rows.data(), steps, walk, lanes.get());
    ASSERT_EQ(walk.step, steps);
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      std::uint32_t entry = begin[lane];
      for (std::size_t step = 0; step < steps; ++step) {
        ASSERT_EQ(lanes[lane * kLaneBytes + step], static_cast<std::byte>(entry)) << lane << " " << step;
        if (step + 1 == steps) {
          ASSERT_EQ(walk.before[lane], entry);
        }
        entry = rows[entry >> kRowShift];
      }
      ASSERT_EQ(walk.here[lane], entry);
    }
  }
}

TEST_P(Bzip2LanesTest, StopsAtEveryMarkAndGoesOnFromThere) {
  std::mt19937 random(2);
  auto rows = random_rows(20'000, random);
  for (std::size_t i = 0; i < rows.size(); i += 97) rows[i] |= kRowMark;
  LaneWalk walk;
  for (std::uint32_t& entry : walk.here) entry = rows[random() % rows.size()];
  const auto begin = walk.here;
  const auto lanes = std::make_unique<std::byte[]>(kLanes * kLaneBytes);
  constexpr std::size_t kSteps = 640;
  std::size_t stops = 0;
  while (walk.step < kSteps) {
    const std::size_t before = walk.step;
    advance_lanes(GetParam(), rows.data(), kSteps, walk, lanes.get());
    ASSERT_GT(walk.step, before);
    const bool marked = std::any_of(walk.here.begin(), walk.here.end(),
                                    [](std::uint32_t entry) { return (entry & kRowMark) != 0; });
    ASSERT_TRUE(marked || walk.step == kSteps);
    stops += marked ? 1 : 0;
  }
  // With 32 lanes about every third step meets one of 97 rows.
  EXPECT_GT(stops, 100u);
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    std::uint32_t entry = begin[lane];
    for (std::size_t step = 0; step < kSteps; ++step, entry = rows[entry >> kRowShift])
      ASSERT_EQ(lanes[lane * kLaneBytes + step], static_cast<std::byte>(entry)) << lane << " " << step;
  }
}

}  // namespace
}  // namespace shardmill::codec
