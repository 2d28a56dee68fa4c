// Durations and tokens of all samples of a dataset, from its manifests alone.
#pragma once

#include <string>
#include <vector>

#include "base/reporter.hpp"
#include "deal/token_bins.hpp"
#include "pipeline/workers.hpp"

namespace shardmill::ranks {

/// The durations in the order of the shards. Reads several manifests at a time. Throws Error for one that
/// cannot be read.
std::vector<double> sample_seconds(const std::string& dataset_folder, std::size_t shards,
                                   pipeline::Workers& workers, base::Reporter& reporter);

/// The same with the number of tokens: the number in the field `token_field` of a manifest line, or the
/// length of the list in it; if `token_field` is empty, the number of characters of the text. Throws Error
/// for a line without them.
std::vector<deal::TokenLength> sample_tokens(const std::string& dataset_folder, std::size_t shards,
                                             const std::string& token_field, pipeline::Workers& workers,
                                             base::Reporter& reporter);

}  // namespace shardmill::ranks
