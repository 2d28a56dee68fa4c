// The stages of deal/steps.hpp: the order in which the samples of a loader worker come (sample_order.cpp),
// and the batches that loaders make of them, in that order (grouping.cpp) or from buckets of like duration
// (bucketing.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "deal/steps.hpp"

namespace shardmill::deal::steps {

struct Shuffling {
  std::optional<std::uint64_t> seed;  // of the epoch; none: nothing is shuffled
  std::size_t shuffle_buffer = 0;     // 0: nothing is shuffled
  std::size_t sort_buffer = 0;        // 0: nothing is sorted
};

/// The lengths of the samples: frames for WeNet, seconds for all others.
std::vector<double> sample_order(Loader loader, const ShardNumbers& shards, const Place& place,
                                 const ShardLengths& lengths, const Shuffling& how);

/// Batches of `size` samples; the last one may have fewer.
Batches groups_of(const std::vector<double>& order, std::size_t size);

/// WeNet's dynamic batches: a sample that would make a batch longer than `most`, padding included, begins the
/// next one.
Batches groups_up_to(const std::vector<double>& order, double most);

/// The same for one epoch after another. The first batch may hold no more samples than if one as long as
/// `longest` were among them. That is 0 before the first epoch, then the longest sample of the last batch.
Batches groups_up_to(const std::vector<double>& order, double most, double& longest);

/// WeNet's bucket_by_sequence_length: a batch is complete when its bucket holds as many samples as `sizes`
/// says. At the end come those that are begun, in the order in which they were. There is one size more than
/// there are `bins`.
Batches groups_by_length(const std::vector<double>& order, const std::vector<double>& bins,
                         const std::vector<std::size_t>& sizes);

// Batches of samples of like duration, as Lhotse's DynamicBucketingSampler draws them.

struct Buckets {
  double most_seconds = 0;            // of a batch, padding included
  std::size_t buffer = 1;             // samples that all buckets hold together
  const std::vector<double>& bins;    // durations at which each bucket but the first begins
  std::optional<std::uint64_t> seed;  // of the epoch; none: shuffle=False
  std::size_t worker = 0;             // sync_buckets: workers of this number choose the same buckets
};

/// The sampler lives in a loader worker, so it is alone: of its own samples it makes batches for one rank.
Batches batches_from_buckets(const std::vector<double>& seconds, const Buckets& how);

}  // namespace shardmill::deal::steps
