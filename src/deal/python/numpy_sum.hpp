// numpy_sum(): adds in the order in which numpy adds, so that bins are never off by one sample.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <span>

namespace shardmill::deal {

/// Pairs of halves, and eight running sums in the smallest.
template <typename Number>
Number numpy_sum(std::span<const Number> values) {
  constexpr std::size_t kLanes = 8;
  constexpr std::size_t kSmallest = 128;
  if (values.size() < kLanes) return std::accumulate(values.begin(), values.end(), Number{});
  if (values.size() > kSmallest) {
    std::size_t half = values.size() / 2;
    half -= half % kLanes;
    return numpy_sum(values.first(half)) + numpy_sum(values.subspan(half));
  }
  std::array<Number, kLanes> sums{};
  std::copy_n(values.begin(), kLanes, sums.begin());
  std::size_t i = kLanes;
  for (; i + kLanes <= values.size(); i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) sums[lane] += values[i + lane];
  }
  const Number sum =
      ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
  return std::accumulate(values.begin() + static_cast<std::ptrdiff_t>(i), values.end(), sum);
}

}  // namespace shardmill::deal
