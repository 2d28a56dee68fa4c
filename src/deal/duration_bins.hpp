// duration_bins: where buckets of equal audio begin, as Lhotse and NeMo estimate them.
#pragma once

#include <cstddef>
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

}  // namespace shardmill::deal
