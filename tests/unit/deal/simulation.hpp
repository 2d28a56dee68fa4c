// Simulation: makes up datasets, and deals them as the pipeline does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "deal/balance.hpp"
#include "deal/dealer.hpp"

namespace shardmill::deal {

/// The same numbers on every platform.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next();
  std::uint64_t below(std::uint64_t end) { return next() % end; }
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  double normal();

 private:
  std::uint64_t state_;
};

using Durations = std::vector<Duration>;

/// Lognormal around 4.5 s, 0.5 to 15 s, in steps of 1/16000 s.
Durations aishell_like(std::size_t samples, std::uint64_t seed);
/// Bimodal, many of 12 to 16 s, fewer down to 1.5 s and up to 35 s, in steps of 5 ms.
Durations librispeech_like(std::size_t samples, std::uint64_t seed);
/// Each duration rounded to a multiple of `step`.
Durations quantised(Durations durations, Duration step);
Durations sorted(Durations durations);
/// Sorted within each stretch of `length` samples, as in corpora stored by speaker or by length.
Durations sorted_in_stretches(Durations durations, std::size_t length);

struct Outcome {
  Balance balance;
  Duration spread_before_rest{};
  std::size_t samples = 0;
  std::vector<HeldSample> held;
  std::uint64_t given_back = 0;         // by each shard; these are among the held ones, too
  std::vector<std::uint32_t> shard_of;  // of each sample in the order of the deal, then of each held sample
  double deal_seconds = 0;              // of CPU
  double rest_seconds = 0;
};

/// Deals `datasets`, mixed by their compressed size, cut into pieces of `piece_bytes`, the way the pipeline
/// does it. `interrupt_every` > 0: the dealer is replaced by one made from its state every so many samples.
/// Not `size_known`: the dealer is told a size of 0.
Outcome simulate(std::uint32_t shards, const std::vector<Durations>& datasets,
                 std::uint64_t piece_bytes = 900'000, std::size_t interrupt_every = 0,
                 bool size_known = true);

}  // namespace shardmill::deal
