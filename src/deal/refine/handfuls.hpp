// deal_in_handfuls: deals samples to shards by their quotas, so that audio times come close to each other.
#pragma once

#include <cstdint>
#include <span>

#include "deal/refine/refiner.hpp"

namespace shardmill::deal {

/// Deals `samples`, which are indices into `held`, and sets their `shard_of` and the totals. Of each dataset
/// there are as many as `placement.quotas` ask for. In each handful of samples of neighbouring durations, the
/// longest one goes to the shard with least audio.
void deal_in_handfuls(Placement& placement, std::span<const HeldSample> held,
                      std::span<const std::uint32_t> samples);

}  // namespace shardmill::deal
