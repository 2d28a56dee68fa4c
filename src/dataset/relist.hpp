// relist: writes the lists of a dataset again, for the place where it is now.
#pragma once

#include <string>
#include <vector>

#include "base/reporter.hpp"
#include "pipeline/workers.hpp"

namespace shardmill::dataset {

/// Makes data.list and the lists in ranks/ name the shards below `root`, and makes all records agree. Returns
/// the files that were written, relative to `folder`. Throws Error when a record cannot be read. If a call is
/// interrupted, the next one completes its work.
std::vector<std::string> relist(const std::string& folder, const std::string& root,
                                pipeline::Workers& workers, base::Reporter& reporter);

}  // namespace shardmill::dataset
