// update: the command.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/reporter.hpp"
#include "pipeline/workers.hpp"
#include "update/options.hpp"

namespace shardmill::commands {

/// By the names of the datasets of a split; for a dataset by itself one without a name.
using UpdateSummaries = std::vector<std::pair<std::string, update::UpdateSummary>>;

/// Throws UsageError when nothing is to be done, and Error as update_dataset() and update_split() do.
UpdateSummaries run_update(const update::UpdateOptions& options, pipeline::Workers& workers,
                           base::Reporter& reporter);

}  // namespace shardmill::commands
