// relist: writes the lists of a dataset anew, for the place where it is now.
#pragma once

#include <string>
#include <vector>

#include "base/reporter.hpp"
#include "pipeline/workers.hpp"

namespace shardmill::dataset {

/// Makes data.list and the lists of ranks/ name the shards below `root`, and all records agree with that.
/// Returns the files that were written, relative to `folder`. Throws Error when a record cannot be read. What
/// was cut short is put right by the next call.
std::vector<std::string> relist(const std::string& folder, const std::string& root,
                                pipeline::Workers& workers, base::Reporter& reporter);

}  // namespace shardmill::dataset
