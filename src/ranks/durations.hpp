// Durations and tokens of all samples of a dataset, from its manifests alone.
#pragma once

#include <string>
#include <vector>

#include "base/reporter.hpp"
#include "deal/token_bins.hpp"
#include "pipeline/workers.hpp"

namespace shardmill::ranks {

/// In the order of the shards. Several manifests are read at a time. Throws Error for one that cannot be
/// read.
std::vector<double> sample_seconds(const std::string& dataset_folder, std::size_t shards,
                                   pipeline::Workers& workers, base::Reporter& reporter);

/// The same with the number of tokens, which this field of a manifest line says, or holds; where it is empty,
/// the characters of the text are counted. Throws Error for a line without them.
std::vector<deal::TokenLength> sample_tokens(const std::string& dataset_folder, std::size_t shards,
                                             const std::string& token_field, pipeline::Workers& workers,
                                             base::Reporter& reporter);

}  // namespace shardmill::ranks
