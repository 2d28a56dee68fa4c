// repack: the main job. Reads shards, mixes, deals, balances, writes and records.
#pragma once

#include "base/reporter.hpp"
#include "pipeline/workers.hpp"
#include "repack/options.hpp"

namespace shardmill::repack {

/// Does everything, or continues where an earlier run in the same folder stopped. Throws UsageError for
/// invalid options and folders, and Error for all other problems. The next run continues the work.
RepackSummary run_repack(const RepackOptions& options, pipeline::Workers& workers, base::Reporter& reporter);

}  // namespace shardmill::repack
