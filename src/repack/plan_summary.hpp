// summary_of_plan: sums up what a run would make, for those who only ask.
#pragma once

#include "repack/options.hpp"
#include "repack/plan.hpp"

namespace shardmill::repack {

/// `threads` shards are compressed at a time.
RepackSummary summary_of_plan(const RepackPlan& plan, unsigned threads);

}  // namespace shardmill::repack
