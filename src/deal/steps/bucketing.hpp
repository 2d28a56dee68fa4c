// bucketing: batches of samples of like duration, as Lhotse's DynamicBucketingSampler draws them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "deal/steps.hpp"

namespace shardmill::deal::steps {

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
