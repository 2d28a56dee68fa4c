// repack: the main job; reads shards, mixes, deals, balances, writes and records.
#pragma once

#include "base/reporter.hpp"
#include "pipeline/workers.hpp"
#include "repack/options.hpp"

namespace shardmill::commands {

/// Does all of it, or goes on where an earlier run in the same folder stopped. Throws UsageError for options
/// and folders that make no sense, and Error for what stops the run; what was done until then is kept for the
/// next one.
repack::RepackSummary run_repack(const repack::RepackOptions& options, pipeline::Workers& workers,
                                 base::Reporter& reporter);

}  // namespace shardmill::commands
