// How much space a run of repack takes, as far as that can be told before it begins.
#pragma once

#include <cstdint>

#include "repack/plan.hpp"

namespace shardmill::repack {

/// The most that a run needs at one time, scratch files included, as far as the estimate tells. `threads`
/// shards are compressed at a time.
std::uint64_t planned_bytes(const RepackPlan& plan, unsigned threads);

}  // namespace shardmill::repack
