// update: adds samples to a finished dataset and takes samples out of it, and keeps its balance.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/reporter.hpp"
#include "pipeline/workers.hpp"
#include "update/options.hpp"

namespace shardmill::update {

/// By the names of the datasets of a split; for a dataset by itself one without a name.
using UpdateSummaries = std::vector<std::pair<std::string, UpdateSummary>>;

/// Updates a dataset, or all datasets of a split. Whatever ends it, the old dataset or the new one is there,
/// or the same command finishes the new one. Throws Error and UsageError before anything is changed.
UpdateSummaries run_update(const UpdateOptions& options, pipeline::Workers& workers,
                           base::Reporter& reporter);

}  // namespace shardmill::update
