// samples_to_give_back: how many samples the shards must give back so that all become equal, if the held ones
// are too few or too much alike for that.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "deal/even.hpp"

namespace shardmill::deal {

/// What one part of a run has dealt and held. A run that is not in parts is one part.
struct PartSamples {
  std::vector<std::vector<HeldSample>> shards;  // the samples of each shard, in the order of the deal
  std::vector<HeldSample> held;
};

/// The shards of all parts without their last `given` samples, and all samples that are to be dealt then: for
/// each part those that it held, and after them those of each of its shards.
struct CutShards {
  std::vector<std::vector<Holding>> dealt;  // of each dataset, by shard
  std::vector<HeldSample> held;

  std::vector<std::span<const Holding>> views() const { return {dealt.begin(), dealt.end()}; }
};
CutShards cut_shards(std::span<const PartSamples> parts, std::size_t datasets, std::uint64_t given);

/// Returns how many of its last samples each shard should give back, so that a deal of these and the held
/// ones makes the shards even; if no number does that, the one that makes them most equal. `now` is the deal
/// of the held samples alone. Returns 0 if no number makes it better, or lengths and counts rule out that any
/// could.
std::uint64_t samples_to_give_back(std::span<const PartSamples> parts, std::size_t datasets,
                                   const EvenWish& wish, const RestDeal& now);

}  // namespace shardmill::deal
