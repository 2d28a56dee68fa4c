// update: the command.
#pragma once

#include "base/reporter.hpp"
#include "pipeline/workers.hpp"
#include "update/options.hpp"

namespace shardmill::commands {

/// Throws UsageError when nothing is to be done, and Error as update_dataset() does.
update::UpdateSummary run_update(const update::UpdateOptions& options, pipeline::Workers& workers,
                                 base::Reporter& reporter);

}  // namespace shardmill::commands
