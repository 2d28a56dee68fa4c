// least_spread: how unequal shards must be, however they are dealt, and why.
#pragma once

#include <cstdint>
#include <span>

#include "deal/rest.hpp"

namespace shardmill::deal {

/// A lower bound, which may be far below the best deal; but no deal is better than it.
struct LeastSpread {
  enum class Reason {
    none,
    long_samples,  // a shard is too long when it gets its share of the very long samples
    few_long,      // a shard is too short when it gets none, or the fewest, of the few long samples
    steps          // all lengths are multiples of one length, and the total cannot be divided in such steps
  };

  Duration spread{};
  Reason reason = Reason::none;
  std::uint64_t samples = 0;   // that are long
  Duration length{};           // of the shortest of these; or the step
  std::uint64_t together = 0;  // how many of them must be in one shard; of few_long: may be at most in one
  Duration share{};            // the audio time of a shard, if all had the same
};

/// For shards that all hold the same number of samples, of each dataset and in total, or one more.
LeastSpread least_spread(std::span<const HeldSample> samples, std::uint64_t shards);

}  // namespace shardmill::deal
