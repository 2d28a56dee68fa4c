// How many shards there will be, from what the user asked for and an estimate of the input.
#pragma once

#include <cstdint>

namespace shardmill::deal {

/// What the number of shards is derived from.
struct ShardSizing {
  enum class By { shards, seconds, bytes, samples };

  By by = By::samples;
  std::uint64_t amount = 1000;    // the number of shards itself, or how much of it a shard holds; at least 1
  std::uint64_t multiple_of = 1;  // at least 1
};

struct InputEstimate {
  std::uint64_t samples = 0;
  std::uint64_t seconds = 0;
  std::uint64_t bytes = 0;  // of the output, uncompressed
};

/// At least 1, and a multiple of `multiple_of`.
///
/// A given number of shards is taken as it is. Otherwise it is the estimate divided by what a shard holds, to
/// the nearest, halves up; but no more than there are samples. Then it is rounded to the nearest multiple,
/// halves up, at least one multiple; where that exceeds the number of samples, down, again to at least one
/// multiple.
std::uint64_t shard_count(const ShardSizing& sizing, const InputEstimate& estimate);

}  // namespace shardmill::deal
