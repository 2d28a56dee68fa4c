// shard_count: how many shards to make, from what the user asked for and an estimate of the input.
#pragma once

#include <cstdint>

namespace shardmill::deal {

/// What the user asked for.
struct ShardSizing {
  enum class By { shards, seconds, bytes, samples };

  By by = By::samples;
  std::uint64_t amount = 1000;    // the number of shards itself, or how much one shard holds; at least 1
  std::uint64_t multiple_of = 1;  // at least 1
};

struct InputEstimate {
  std::uint64_t samples = 0;
  std::uint64_t seconds = 0;
  std::uint64_t bytes = 0;  // of the output, uncompressed
};

/// At least 1, and a multiple of `multiple_of`.
///
/// A given number of shards is taken as it is. Otherwise the estimate is divided by the size of a shard and
/// rounded to the nearest (halves up), but there are never more shards than samples. Then the number is
/// rounded to the nearest multiple (halves up), but to at least one multiple. If that is more than the number
/// of samples, it is rounded down, again to at least one multiple.
std::uint64_t shard_count(const ShardSizing& sizing, const InputEstimate& estimate);

}  // namespace shardmill::deal
