#include "report/duration_histogram.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace shardmill::report {
namespace {

using namespace std::chrono_literals;
using Duration = DurationHistogram::Duration;

TEST(DurationHistogram, AgreesWithSortedValues) {
  std::mt19937_64 random(1);
  std::vector<Duration> values;
  DurationHistogram first;
  DurationHistogram second;
  Duration total{};
  for (int i = 0; i < 9'999; ++i) {
    const Duration value(random() % 40'000'000'000);
    values.push_back(value);
    total += value;
    (i % 3 == 0 ? first : second).add(value);
  }
  first.add(second);
  std::sort(values.begin(), values.end());
  EXPECT_EQ(first.samples(), values.size());
  EXPECT_EQ(first.total(), total);
  EXPECT_EQ(first.shortest(), values.front());
  EXPECT_EQ(first.longest(), values.back());
  EXPECT_EQ(first.quantile(0.5), values[4'999] / 10ms * 10ms);
  EXPECT_EQ(first.quantile(1), values.back() / 10ms * 10ms);
  const auto between =
      std::count_if(values.begin(), values.end(), [](Duration v) { return v >= 1s && v < 3s; });
  EXPECT_EQ(first.count(100, 300), static_cast<std::uint64_t>(between));
  EXPECT_EQ(first.count(0, SIZE_MAX), values.size());
}

TEST(DurationHistogram, WhatIsLongerThanAnHourIsOneStep) {
  DurationHistogram durations;
  durations.add(3600s);
  durations.add(100h);
  EXPECT_EQ(durations.count(DurationHistogram::kSteps, SIZE_MAX), 2u);
  EXPECT_EQ(durations.quantile(0.5), 3600s);
  EXPECT_EQ(durations.longest(), 100h);
}

TEST(DurationHistogram, MayBeEmpty) {
  DurationHistogram durations;
  durations.add(DurationHistogram());
  EXPECT_EQ(durations.samples(), 0u);
  EXPECT_EQ(durations.quantile(0.5), 0s);
  EXPECT_EQ(durations.count(0, SIZE_MAX), 0u);
}

}  // namespace
}  // namespace shardmill::report
