#include "deal/bins.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <span>
#include <tuple>

namespace shardmill::deal {

namespace {

/// Adds in the order in which numpy adds, so that bins are never off by one sample: pairs of halves, and
/// eight running sums in the smallest.
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

}  // namespace

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

namespace {

constexpr double kOutlier = 4;  // standard deviations above the mean

float rounded(float seconds) {
  return std::nearbyint(seconds * 1000.0F) / 1000.0F;
}

/// Where a bucket of the sorted samples ends.
struct BucketEnd {
  float seconds = 0;
  std::size_t sample = 0;
};

/// Buckets of equal audio; the last one ends with the samples.
std::vector<BucketEnd> bucket_ends(const std::vector<TokenLength>& samples, std::size_t buckets) {
  std::vector<float> seconds;
  seconds.reserve(samples.size());
  for (const TokenLength& sample : samples) seconds.push_back(sample.seconds);
  const double share =
      static_cast<double>(numpy_sum(std::span<const float>(seconds))) / static_cast<double>(buckets);
  std::vector<BucketEnd> ends;
  double filled = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    float size = samples[i].seconds;
    if (filled > share) {
      size = rounded(size);
      ends.push_back({.seconds = size, .sample = i});
      filled = 0;
    }
    filled += static_cast<double>(size);
  }
  ends.push_back({.seconds = rounded(samples.back().seconds), .sample = samples.size()});
  return ends;
}

double rate_of(const TokenLength& sample) {
  return static_cast<double>(sample.tokens) / static_cast<double>(sample.seconds);
}

/// The most tokens a second that are no outlier.
double highest_rate(std::span<const TokenLength> samples) {
  std::vector<double> rates;
  rates.reserve(samples.size());
  for (const TokenLength& sample : samples) rates.push_back(rate_of(sample));
  const auto count = static_cast<double>(rates.size());
  const double mean = numpy_sum(std::span<const double>(rates)) / count;
  std::vector<double> squares;
  squares.reserve(rates.size());
  for (const double rate : rates) squares.push_back((rate - mean) * (rate - mean));
  const double deviation = std::sqrt(numpy_sum(std::span<const double>(squares)) / count);
  double highest = 0;
  // NeMo's script stops where all rates of a bucket are the same.
  for (const double rate : rates) {
    if (!(deviation > 0) || (rate - mean) / deviation <= kOutlier) highest = std::max(highest, rate);
  }
  return highest;
}

void divide(std::span<const TokenLength> samples, float seconds, std::size_t parts,
            std::vector<TokenBin>& bins) {
  const double highest = highest_rate(samples);
  std::vector<std::int32_t> tokens;
  std::int64_t all = 0;
  for (const TokenLength& sample : samples) {
    if (rate_of(sample) > highest) continue;
    tokens.push_back(sample.tokens);
    all += sample.tokens;
  }
  std::sort(tokens.begin(), tokens.end());
  const double share = static_cast<double>(all) / static_cast<double>(parts);
  std::int64_t filled = 0;
  for (const std::int32_t count : tokens) {
    if (static_cast<double>(filled) > share) {
      bins.push_back({.seconds = seconds, .tokens = count, .tokens_per_second = highest});
      filled = 0;
    }
    filled += count;
  }
  bins.push_back({.seconds = seconds, .tokens = tokens.back(), .tokens_per_second = highest});
}

}  // namespace

std::vector<TokenBin> token_bins(std::vector<TokenLength> samples, std::size_t buckets, std::size_t parts) {
  std::sort(samples.begin(), samples.end(), [](const TokenLength& a, const TokenLength& b) {
    return std::tie(a.seconds, a.tokens) < std::tie(b.seconds, b.tokens);
  });
  const std::vector<BucketEnd> ends = bucket_ends(samples, buckets);
  std::vector<TokenBin> bins;
  std::size_t begin = 0;
  std::size_t merged = 1;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    // Buckets that end with the same duration are one, with as many more parts.
    if (i + 1 < ends.size() && ends[i + 1].seconds == ends[i].seconds) {
      ++merged;
      continue;
    }
    divide(std::span(samples).subspan(begin, ends[i].sample - begin), ends[i].seconds, parts * merged, bins);
    begin = ends[i].sample;
    merged = 1;
  }
  return bins;
}

}  // namespace shardmill::deal
