#include "deal/duration_bins.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <span>

namespace shardmill::deal {

namespace {

/// The sum in the order in which numpy adds, so that a bin is never off by one sample: pairs of halves, and
/// eight running sums in the smallest.
double numpy_sum(std::span<const double> values) {
  constexpr std::size_t kLanes = 8;
  constexpr std::size_t kSmallest = 128;
  if (values.size() < kLanes) return std::accumulate(values.begin(), values.end(), 0.0);
  if (values.size() > kSmallest) {
    std::size_t half = values.size() / 2;
    half -= half % kLanes;
    return numpy_sum(values.first(half)) + numpy_sum(values.subspan(half));
  }
  std::array<double, kLanes> sums{};
  std::copy_n(values.begin(), kLanes, sums.begin());
  std::size_t i = kLanes;
  for (; i + kLanes <= values.size(); i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) sums[lane] += values[i + lane];
  }
  const double sum =
      ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
  return std::accumulate(values.begin() + static_cast<std::ptrdiff_t>(i), values.end(), sum);
}

}  // namespace

std::vector<double> duration_bins(std::vector<double> seconds, std::size_t buckets) {
  std::sort(seconds.begin(), seconds.end());
  const double share = numpy_sum(seconds) / static_cast<double>(buckets);
  std::vector<double> bins;
  double filled = 0;
  for (const double duration : seconds) {
    if (filled > share) {
      bins.push_back(duration);
      filled = 0;
    }
    filled += duration;
  }
  return bins;
}

std::vector<BucketShare> bucket_shares(const std::vector<double>& seconds, const std::vector<double>& bins) {
  std::vector<BucketShare> shares(bins.size() + 1);
  double total = 0;
  for (const double duration : seconds) {
    const auto bucket = std::upper_bound(bins.begin(), bins.end(), duration) - bins.begin();
    BucketShare& share = shares[static_cast<std::size_t>(bucket)];
    share.audio += duration;
    share.samples += 1;
    total += duration;
  }
  for (BucketShare& share : shares) {
    share.audio = total > 0 ? share.audio / total : 0;
    share.samples /= static_cast<double>(std::max<std::size_t>(seconds.size(), 1));
  }
  return shares;
}

}  // namespace shardmill::deal
