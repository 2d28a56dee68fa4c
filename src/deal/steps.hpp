// steps: the batches that loaders make of shards, and how long ranks wait for each other at each of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "deal/loader_rule.hpp"

namespace shardmill::deal {

struct SampleLength {
  double seconds = 0;
  std::uint32_t frames = 0;  // of features, as WeNet computes them
};

/// How many feature frames WeNet makes of the audio: it is brought to 16 kHz, and each frame takes 25 ms,
/// 10 ms after the one before.
std::uint32_t feature_frames(std::uint64_t audio_frames, std::uint32_t sample_rate);

/// The samples of each shard, in their order.
using ShardLengths = std::vector<std::vector<SampleLength>>;

/// What the user sets in a loader.
struct Batching {
  enum class By {
    samples,   // `most` samples
    frames,    // `most` frames, padding included
    duration,  // `most` seconds, padding included, from buckets of like samples
    buckets,   // of each bucket its own number of samples
  };
  By by = By::samples;
  double most = 0;
  std::optional<std::size_t> shuffle_buffer{};  // samples that are held to be shuffled; none: as is usual
  std::size_t sort_buffer = 0;                  // how many samples WeNet sorts at a time; 0: none
  std::vector<double> bins{};                   // where each bucket but the first begins: seconds, or frames
  std::vector<std::size_t> sizes{};             // samples of a batch of each bucket, where that is its number
};

/// Whether the loader makes batches in this way.
bool can_batch(Loader loader, Batching::By by);
/// What the recipes and examples of the loader's project set. 2,048 of NeMo are shards.
std::size_t usual_shuffle_buffer(Loader loader);

/// One loader process.
struct Place {
  std::size_t rank = 0;
  std::size_t worker = 0;
  std::size_t workers = 1;  // of each rank
};

/// What one worker delivers in an epoch, in its order.
struct Batches {
  std::vector<double> lengths;  // of each batch, padding included
  double filled = 0;            // of all of them, without padding
  std::uint64_t samples = 0;
};

/// Whether the first batch of a worker depends on its last one in the epoch before. WeNet from 3.0.1 on keeps
/// its workers from one epoch to the next (persistent_workers), and with them the object that ends dynamic
/// batches (wenet/dataset/processor.py, DynamicBatchWindow), which remembers its longest sample.
bool remembers_last_batch(Loader loader, Batching::By by);

/// The lengths of the samples that a worker reads, in the order in which it makes batches of them. `seed` is
/// that of the epoch; none: nothing is shuffled.
std::vector<double> order_of(Loader loader, const ShardNumbers& shards, const Place& place,
                             const ShardLengths& lengths, const Batching& batching,
                             std::optional<std::uint64_t> seed);

/// The batches that a worker makes of `shards` in its first epoch. `seed` is that of the epoch; none: nothing
/// is shuffled. The loader must be able to batch so.
Batches batches_of(Loader loader, const ShardNumbers& shards, const Place& place, const ShardLengths& lengths,
                   const Batching& batching, std::optional<std::uint64_t> seed);

/// The batches of a worker that remembers the longest sample, from samples in this order. `longest` is its
/// memory: 0 before its first epoch; the call changes it.
Batches dynamic_batches_of(const std::vector<double>& order, double most, double& longest);

struct EpochSteps {
  std::vector<std::uint64_t> steps;  // of each rank
  std::uint64_t samples = 0;
  double padding = 0;  // the share of all batches that is padding
  double idle = 0;     // the share of all ranks' time that they wait

  std::uint64_t fewest() const;
  std::uint64_t most() const;
  std::uint64_t spread() const { return most() - fewest(); }
};

/// A rank takes batches from its workers in turn, as DataLoader does. Each step lasts as long as the longest
/// batch of all ranks; a rank that has no batch any more waits for the others. `of_workers`: [rank][worker].
EpochSteps meet(const std::vector<std::vector<Batches>>& of_workers);

}  // namespace shardmill::deal
