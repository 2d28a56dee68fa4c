// Refuses, before any work, more shards than there are samples to fill them with.
#pragma once

#include "base/reporter.hpp"
#include "repack/plan.hpp"

namespace shardmill::repack {

/// Throws Error when the plan has more shards than there can be samples. Looks at the sources only when the
/// number of shards is so large that finding out at the end would cost much. When the number of samples is
/// close to that of the shards, the plan passes.
void check_shard_count(const RepackPlan& plan, base::Reporter& reporter);

}  // namespace shardmill::repack
