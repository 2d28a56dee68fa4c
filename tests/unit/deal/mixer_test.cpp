#include "deal/mixer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

namespace shardmill::deal {
namespace {

TEST(Mixer, interleaves_in_proportion_to_size) {
  Mixer mixer({{.total_bytes = 1000}, {.total_bytes = 3000}});
  std::vector<std::size_t> order;
  for (int step = 0; step < 8; ++step) {
    const std::size_t stream = mixer.next().value();
    order.push_back(stream);
    mixer.consumed(stream, 500);
  }
  EXPECT_EQ(order, (std::vector<std::size_t>{0, 1, 1, 1, 0, 1, 1, 1}));
}

TEST(Mixer, all_streams_end_at_the_same_time) {
  Mixer mixer({{.total_bytes = 7'000'000}, {.total_bytes = 123'456'789'012}, {.total_bytes = 999'999'937}});
  constexpr std::uint64_t kPiece = 900'000;
  while (const auto stream = mixer.next()) {
    const auto& now = mixer.streams()[*stream];
    if (now.consumed_bytes == now.total_bytes) break;
    mixer.consumed(*stream, std::min(kPiece, now.total_bytes - now.consumed_bytes));
  }
  for (const auto& stream : mixer.streams()) EXPECT_EQ(stream.consumed_bytes, stream.total_bytes);
}

TEST(Mixer, fractions_of_huge_streams_are_exact) {
  constexpr std::uint64_t kHuge = std::numeric_limits<std::uint64_t>::max();
  const Mixer mixer({{kHuge - 1, kHuge}, {kHuge - 2, kHuge - 1}});
  EXPECT_EQ(mixer.next(), 1U);  // (h-2)/(h-1) < (h-1)/h
}

TEST(Mixer, finished_streams_are_passed_over_and_the_end_is_told) {
  Mixer mixer({{.total_bytes = 10}, {.total_bytes = 10}});
  mixer.finish(0);
  EXPECT_EQ(mixer.next(), 1U);
  mixer.finish(1);
  EXPECT_EQ(mixer.next(), std::nullopt);
  EXPECT_EQ(Mixer({}).next(), std::nullopt);
}

TEST(Mixer, a_stream_of_no_size_comes_first_until_it_is_finished) {
  Mixer mixer({{.total_bytes = 10}, {.total_bytes = 0}});
  EXPECT_EQ(mixer.next(), 0U);  // both have not begun
  mixer.consumed(0, 1);
  EXPECT_EQ(mixer.next(), 1U);
  mixer.consumed(1, 5);
  EXPECT_EQ(mixer.next(), 1U);
  mixer.finish(1);
  EXPECT_EQ(mixer.next(), 0U);
}

TEST(Mixer, goes_on_from_its_streams) {
  Mixer mixer({{.total_bytes = 100}, {.total_bytes = 250}, {.total_bytes = 70}});
  for (int step = 0; step < 20; ++step) {
    const Mixer restored({mixer.streams().begin(), mixer.streams().end()});
    ASSERT_EQ(restored.next(), mixer.next());
    mixer.consumed(mixer.next().value(), 10);
  }
}

}  // namespace
}  // namespace shardmill::deal
