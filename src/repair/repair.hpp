// repair: finds what is missing or damaged in a finished dataset and makes it again, byte for byte.
#pragma once

#include "base/reporter.hpp"
#include "pipeline/workers.hpp"
#include "repair/options.hpp"

namespace shardmill::repair {

/// The caller holds the folder's lock, unless `dry_run`. A file is replaced only by one that has the recorded
/// checksum, whole and synced, in one rename; so whatever ends it, nothing is worse than before.
RepairSummary repair_dataset(const RepairOptions& options, pipeline::Workers& workers,
                             base::Reporter& reporter);

}  // namespace shardmill::repair
