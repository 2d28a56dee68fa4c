// ShardAdvice: how many shards suit a training with a given number of ranks and loader workers. Only advice:
// it never changes the output.
#pragma once

#include <cstdint>

#include "deal/loader_rule.hpp"
#include "deal/shard_count.hpp"

namespace shardmill::deal {

struct ShardAdvice {
  std::uint64_t shards = 0;
  std::uint64_t shard_bytes = 0;    // of each, uncompressed
  std::uint64_t shard_samples = 0;  // the same
  std::uint64_t per_worker = 0;     // shards that each worker reads; 0: there are fewer samples than workers
  /// Samples that a worker holds to shuffle them: about a shard, unless that takes too much memory.
  std::uint64_t shuffle_buffer = 0;
  std::uint64_t buffer_bytes = 0;
  /// So many workers a rank would do, because the data is little; 0: all that were asked for.
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
