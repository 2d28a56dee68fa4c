// A run that is not done in parts: from an empty or unfinished work folder to the finished dataset.
#pragma once

#include "base/reporter.hpp"
#include "pipeline/workers.hpp"
#include "repack/options.hpp"
#include "repack/plan.hpp"

namespace shardmill::repack {

/// Checks the free space. Files of an earlier run count as free: they are needed anyway, or make room when
/// they are removed.
/// Throws Error when there is too little, unless the user wants that ignored.
void check_room(const RepackOptions& options, const RepackPlan& plan, unsigned threads);

/// Returns the dataset that exists already, or makes a new one. Goes on with an unfinished run of the same
/// plan. Throws Error for an unfinished run or a dataset that differs, and for everything else that stops the
/// run. The work done until then is kept for the next run.
RepackSummary find_or_make(const RepackOptions& options, const RepackPlan& plan, pipeline::Workers& workers,
                           base::Reporter& reporter);

}  // namespace shardmill::repack
