// Random mixes of datasets, dealt as the pipeline does it, against a search that is slow and easy to check.
// SHARDMILL_MIXES=500 tries that many mixes.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>

#include "deal/simulation.hpp"

namespace shardmill::deal {
namespace {

using namespace std::chrono_literals;

struct Mix {
  std::uint32_t shards = 1;
  std::vector<Durations> datasets;
  std::size_t samples = 0;
};

Duration draw_duration(Random& random, std::uint64_t kind, double median, double width) {
  double seconds = median * std::exp(width * random.normal());
  if (kind == 0) seconds = random.below(2) == 0 ? median : 3 * median;  // two lengths only
  if (kind == 1) seconds = 2 * median * random.uniform();
  if (random.below(400) == 0) seconds *= 8;
  return Duration(static_cast<std::int64_t>(std::clamp(seconds, 0.3, 120.0) * 16'000) * 62'500);
}

Mix random_mix(std::uint64_t seed) {
  Random random(seed);
  const auto up_to = [&](double most) { return std::exp(random.uniform() * std::log(most)); };
  Mix mix{.shards = static_cast<std::uint32_t>(up_to(200)), .datasets = {}};
  const double samples = mix.shards * up_to(5000.0 / mix.shards);
  const std::size_t datasets = 1 + random.below(12);
  for (std::size_t d = 0; d < datasets; ++d) {
    const auto kind = random.below(5);
    const double median = 2 * up_to(8);
    const double width = 0.1 + 0.9 * random.uniform();
    Durations durations(
        1 + static_cast<std::size_t>(2 * random.uniform() * samples / static_cast<double>(datasets)));
    for (Duration& duration : durations) duration = draw_duration(random, kind, median, width);
    mix.samples += durations.size();
    mix.datasets.push_back(random.below(4) == 0 ? sorted(durations) : durations);
  }
  return mix;
}

/// Deals in turn, so that all counts are as they must be, and then exchanges samples of the same dataset at
/// random while that brings the times closer.
class SlowSearch {
 public:
  explicit SlowSearch(const Mix& mix) : mix_(mix) {}

  Duration least_spread(std::size_t starts, std::size_t tries) {
    Duration least = Duration::max();
    for (std::size_t start = 0; start < starts; ++start) least = std::min(least, search(start, tries));
    return least;
  }

 private:
  Duration search(std::uint64_t seed, std::size_t tries) {
    Random random(seed);
    std::vector<Duration> times(mix_.shards);
    std::vector<std::vector<std::uint32_t>> shard_of;
    std::uint32_t next = 0;
    for (const Durations& durations : mix_.datasets) {
      auto& shards = shard_of.emplace_back();
      for (const Duration duration : durations) {
        shards.push_back(next++ % mix_.shards);
        times[shards.back()] += duration;
      }
    }
    for (std::size_t i = 0; i < tries; ++i) {
      const std::size_t dataset = random.below(mix_.datasets.size());
      const Durations& durations = mix_.datasets[dataset];
      const std::size_t x = random.below(durations.size());
      const std::size_t y = random.below(durations.size());
      std::uint32_t& a = shard_of[dataset][x];
      std::uint32_t& b = shard_of[dataset][y];
      const Duration moved = durations[x] - durations[y];
      if (std::chrono::abs(times[a] - times[b] - 2 * moved) >= std::chrono::abs(times[a] - times[b]))
        continue;
      times[a] -= moved;
      times[b] += moved;
      std::swap(a, b);
    }
    const auto [least, most] = std::minmax_element(times.begin(), times.end());
    return *most - *least;
  }

  const Mix& mix_;
};

TEST(RandomMixes, AreAsEvenAsASlowSearchMakesThem) {
  const char* wanted = std::getenv("SHARDMILL_MIXES");
  const std::uint64_t rounds = wanted != nullptr ? std::stoull(wanted) : 8;
  Duration worst = -Duration::max();
  for (std::uint64_t seed = 0; seed < rounds; ++seed) {
    const Mix mix = random_mix(seed);
    const Outcome fast = simulate(mix.shards, mix.datasets, seed % 2 == 0 ? 20'000 : 2'000'000);
    SCOPED_TRACE(::testing::Message() << "mix " << seed << ": " << mix.samples << " samples of "
                                      << mix.datasets.size() << " datasets in " << mix.shards << " shards");
    EXPECT_LE(fast.balance.samples.spread(), 1U);
    for (const CountRange& samples : fast.balance.dataset_samples) EXPECT_LE(samples.spread(), 1U);
    if (fast.balance.spread() <= 1ms) continue;
    const Duration slow = SlowSearch(mix).least_spread(4, 40 * mix.samples);
    worst = std::max(worst, fast.balance.spread() - slow);
    EXPECT_LE(fast.balance.spread(), slow + 10ms);
  }
  RecordProperty("worst_excess_ns", std::to_string(worst.count()));
}

}  // namespace
}  // namespace shardmill::deal
