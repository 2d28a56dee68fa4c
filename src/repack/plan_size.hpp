// How large the result of a plan will be, as far as it is known before the run: how much of each dataset is
// taken, its bytes, whether the disk has room, whether its shards can be filled, and the summary for a dry
// run.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/reporter.hpp"
#include "dataset/recipe.hpp"
#include "pipeline/mill.hpp"
#include "repack/options.hpp"
#include "repack/plan.hpp"

namespace shardmill::repack {

/// The most that a run needs at one time, scratch files included, as far as the estimate tells. `threads`
/// shards are compressed at a time.
std::uint64_t planned_bytes(const RepackPlan& plan, unsigned threads);

/// Checks the free space for `threads` shards that are compressed at a time. Files of an earlier run count as
/// free: they are needed anyway, or make room when they are removed. Throws Error when there is too little,
/// unless the user wants that ignored.
void check_room(const RepackOptions& options, const RepackPlan& plan, unsigned threads);

/// The summary of a dry run. `threads` shards are compressed at a time.
RepackSummary summary_of_plan(const RepackPlan& plan, unsigned threads);

/// Throws Error when the plan has more shards than there can be samples. Looks at the sources only when the
/// number of shards is so large that finding out at the end would cost much. When the number of samples is
/// close to that of the shards, the plan passes.
void check_shard_count(const RepackPlan& plan, base::Reporter& reporter);

/// About how much audio each dataset holds, from the records of finished datasets or from a look at the
/// sources. `inputs` must have no weights.
std::vector<double> seconds_of_datasets(const pipeline::Inputs& inputs, const pipeline::IntakeOptions& intake,
                                        base::Reporter& reporter);

/// The weights of all datasets. Throws UsageError for a name that no dataset has, and Error for an amount
/// that cannot be reached.
std::map<std::string, double> settle_shares(const dataset::Recipe& recipe, const pipeline::Inputs& inputs,
                                            const std::vector<double>& seconds);

}  // namespace shardmill::repack
