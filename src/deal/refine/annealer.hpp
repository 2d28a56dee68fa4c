// annealer: makes shards equal where refine() ends too early: few samples a shard, or very unlike lengths.
#pragma once

#include <span>

#include "deal/refine/refiner.hpp"

namespace shardmill::deal {

/// Brings the audio times of the shards closer together, beyond what refine() found, until they are within
/// wanted_spread() or the work is done. Returns at once if they are. Counts change only as Placement allows.
void anneal(Placement& placement, std::span<const HeldSample> held, Effort effort);

}  // namespace shardmill::deal
