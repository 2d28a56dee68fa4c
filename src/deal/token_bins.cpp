#include "deal/token_bins.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <tuple>

#include "deal/python/numpy_sum.hpp"

namespace shardmill::deal {

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
