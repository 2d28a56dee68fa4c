#include "deal/pick.hpp"

#include <gtest/gtest.h>

#include <random>

namespace shardmill::deal {
namespace {

struct Picked {
  std::vector<std::uint64_t> counts;
  Duration time{};
};

Picked pick_of(const std::vector<HeldSample>& samples, const std::vector<std::uint64_t>& counts,
               Duration time) {
  const std::vector<bool> chosen = pick(samples, counts, time);
  Picked picked{.counts = std::vector<std::uint64_t>(counts.size(), 0)};
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (!chosen[i]) continue;
    ++picked.counts[samples[i].dataset];
    picked.time += samples[i].duration;
  }
  return picked;
}

TEST(Pick, ComesToTheTimeWithTheCountsOfEachDataset) {
  std::mt19937 random(1);
  for (int round = 0; round < 50; ++round) {
    std::vector<HeldSample> samples;
    Duration all{};
    for (std::uint32_t i = 0; i < 200; ++i) {
      samples.push_back(
          {.dataset = i % 2, .duration = std::chrono::microseconds(1'000'000 + random() % 9'000'000)});
      all += samples.back().duration;
    }
    const std::vector<std::uint64_t> counts{20 + random() % 60, 20 + random() % 60};
    const auto number = static_cast<std::int64_t>(counts[0] + counts[1]);
    const Duration wanted = all * number / 200;
    const Picked picked = pick_of(samples, counts, wanted);
    EXPECT_EQ(picked.counts, counts);
    EXPECT_LE(std::chrono::abs(picked.time - wanted), std::chrono::milliseconds(2)) << "round " << round;
  }
}

TEST(Pick, TakesTheFirstOnesIfAllAreAlike) {
  const std::vector<HeldSample> samples(5, {.dataset = 0, .duration = std::chrono::seconds(2)});
  const std::vector<std::uint64_t> counts{2};
  EXPECT_EQ(pick(samples, counts, std::chrono::seconds(9)),
            (std::vector<bool>{true, true, false, false, false}));
}

TEST(Pick, NothingOfNothing) {
  const std::vector<std::uint64_t> counts{0};
  EXPECT_TRUE(pick({}, counts, Duration{}).empty());
}

}  // namespace
}  // namespace shardmill::deal
