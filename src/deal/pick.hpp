// pick: chooses samples of a stock whose audio time is as near as possible to a wanted time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "deal/rest.hpp"

namespace shardmill::deal {

/// Returns for each sample whether it is chosen: `counts[d]` samples of each dataset d, the first ones unless
/// an exchange with a later one brings their sum closer to `time`. There must be that many of each dataset.
std::vector<bool> pick(std::span<const HeldSample> samples, std::span<const std::uint64_t> counts,
                       Duration time);

}  // namespace shardmill::deal
