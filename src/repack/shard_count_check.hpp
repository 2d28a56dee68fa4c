// Refuses, before any work, more shards than there are samples to fill them with.
#pragma once

#include "base/reporter.hpp"
#include "repack/plan.hpp"

namespace shardmill::repack {

/// Throws Error when the plan has more shards than samples can come. Looks at the sources for that only where
/// the number of shards is so large that finding out at the end would be dear; what is nearly enough then
/// passes.
void check_shard_count(const RepackPlan& plan, base::Reporter& reporter);

}  // namespace shardmill::repack
