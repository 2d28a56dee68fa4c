// shard_count: how many shards to make, from what the user asked for and an estimate of the input.
// ShardAdvice: how many suit a training with a given number of ranks and loader workers; it never changes the
// output.
#pragma once

#include <cstdint>

#include "deal/loader_rule.hpp"

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

struct ShardAdvice {
  std::uint64_t shards = 0;
  std::uint64_t shard_bytes = 0;    // of each, uncompressed
  std::uint64_t shard_samples = 0;  // the same
  std::uint64_t per_worker = 0;     // shards that each worker reads; 0: there are fewer samples than workers
  /// Samples that a worker holds to shuffle them: about a shard, unless that takes too much memory.
  std::uint64_t shuffle_buffer = 0;
  std::uint64_t buffer_bytes = 0;
  /// This many workers a rank would do, because the data is little; 0: all that were asked for.
  std::uint64_t fewer_workers = 0;
};

/// What a number of shards means for a training.
struct ShardChoice {
  std::uint64_t shard_bytes = 0;
  std::uint64_t idle_workers = 0;  // that get no shard
  double idle_share = 0;           // of the workers' time, as some read a shard less than others
  bool is_small = false;           // shards are so small that opening them costs, and larger ones would do
};

/// Shards are a multiple of ranks x workers, of about 500 MB each where there is that much: smaller ones,
/// down to 100 MB, where that gives each worker four to shuffle.
ShardAdvice advise_shards(const InputEstimate& amount, const Team& team);

/// There is so little that any number of shards will do.
bool is_trial(const InputEstimate& amount);

/// `shards` must not be 0. Shards of a trial are not called small.
ShardChoice judge_shards(const InputEstimate& amount, std::uint64_t shards, const Team& team);

}  // namespace shardmill::deal
