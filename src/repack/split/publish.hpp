// publish_splits: records the datasets of a split and gives all of them their final names at once.
#pragma once

#include "repack/finish.hpp"
#include "repack/split/locks.hpp"
#include "repack/split/make.hpp"

namespace shardmill::repack {

/// The shards of all splits must be durable. Changes the plan of train to that of each split in turn. Throws
/// Error, also when a lock was lost.
SplitSummary publish_splits(SplitPlan& plan, MadeSplits&& made, const RunClock& clock,
                            const SplitLocks& locks, pipeline::Workers& workers, base::Reporter& reporter);

}  // namespace shardmill::repack
