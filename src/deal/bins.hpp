// Buckets of samples for training, as Lhotse and NeMo estimate them: where buckets of equal audio begin, and
// how each is divided by the number of tokens.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace shardmill::deal {

/// The durations at which each bucket but the first begins, equal to those of Lhotse's
/// estimate_duration_buckets() and so of NeMo's estimate_duration_bins.py. Fewer than `buckets` - 1 come out
/// where single samples are longer than a bucket's share. `buckets` is at least 2 and at most the number of
/// samples.
std::vector<double> duration_bins(std::vector<double> seconds, std::size_t buckets);

/// A bin, rounded (as numpy rounds) and written as NeMo's estimate_duration_bins.py does.
std::string bin_text(double seconds);

/// The share of all audio in each bucket, and of all samples: what the bins make of `seconds`.
struct BucketShare {
  double audio = 0;
  double samples = 0;
};
std::vector<BucketShare> bucket_shares(const std::vector<double>& seconds, const std::vector<double>& bins);

/// Single precision, in which NeMo keeps them.
struct TokenLength {
  float seconds = 0;
  std::int32_t tokens = 0;
};

/// The longest sample that a bucket takes.
struct TokenBin {
  float seconds = 0;
  std::int32_t tokens = 0;
  double tokens_per_second = 0;  // of the densest sample, without outliers
};

/// Equal to the bins and max_tps of NeMo's estimate_duration_bins_2d.py with numpy 1: buckets of equal audio,
/// each divided into `parts` of equal tokens. Samples that have far more tokens a second than others of
/// their bucket are not counted. `buckets` is at least 2, and there is at least one sample.
std::vector<TokenBin> token_bins(std::vector<TokenLength> samples, std::size_t buckets, std::size_t parts);

}  // namespace shardmill::deal
