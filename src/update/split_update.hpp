// split_update: removes samples from all datasets of a split as one change.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/reporter.hpp"
#include "pipeline/workers.hpp"
#include "update/options.hpp"

namespace shardmill::update {

/// `options.folder` is that of the split. Returns the summary of each dataset, by name. Whatever ends it, all
/// datasets are as before, or the next command completes all of them. Throws Error, also when something
/// else than a removal is asked for.
std::vector<std::pair<std::string, UpdateSummary>> update_split(const UpdateOptions& options,
                                                                pipeline::Workers& workers,
                                                                base::Reporter& reporter);

}  // namespace shardmill::update
