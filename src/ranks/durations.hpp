// Durations of all samples of a dataset, from its manifests alone.
#pragma once

#include <string>
#include <vector>

#include "base/reporter.hpp"
#include "pipeline/workers.hpp"

namespace shardmill::ranks {

/// In the order of the shards. Several manifests are read at a time. Throws Error for one that cannot be
/// read.
std::vector<double> sample_seconds(const std::string& dataset_folder, std::size_t shards,
                                   pipeline::Workers& workers, base::Reporter& reporter);

}  // namespace shardmill::ranks
