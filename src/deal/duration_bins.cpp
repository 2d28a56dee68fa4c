#include "deal/duration_bins.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "deal/python/numpy_sum.hpp"

namespace shardmill::deal {

std::vector<double> duration_bins(std::vector<double> seconds, std::size_t buckets) {
  std::sort(seconds.begin(), seconds.end());
  const double share = numpy_sum(std::span<const double>(seconds)) / static_cast<double>(buckets);
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

std::string bin_text(double seconds) {
  const std::string text = fmt::format("{}", std::nearbyint(seconds * 1e5) / 1e5);
  return text.find('.') == std::string::npos ? text + ".0" : text;
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
