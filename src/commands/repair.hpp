// repair: makes the missing and damaged files of a finished dataset again.
#pragma once

#include "base/reporter.hpp"
#include "pipeline/workers.hpp"
#include "repair/options.hpp"

namespace shardmill::commands {

/// Throws Error when the folder holds no finished dataset, or a run is at work in it.
repair::RepairSummary run_repair(const repair::RepairOptions& options, pipeline::Workers& workers,
                                 base::Reporter& reporter);

}  // namespace shardmill::commands
