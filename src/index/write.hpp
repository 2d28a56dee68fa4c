// Writes the indexes of shards, and the lists of a dataset that was moved.
#pragma once

#include <string>

#include "base/reporter.hpp"
#include "index/options.hpp"
#include "pipeline/workers.hpp"

namespace shardmill::index {

/// Indexes shards that shardmill did not make. The indexes go next to files that are not ours.
IndexSummary index_shards(const IndexOptions& options, pipeline::Workers& workers, base::Reporter& reporter);

/// Indexes the shards of a finished dataset, and adds the indexes to SHA256SUMS.
IndexSummary index_dataset(const std::string& folder, const IndexOptions& options, pipeline::Workers& workers,
                           base::Reporter& reporter);

/// Rewrites the lists of paths of a dataset that was moved, then the indexes if any are wanted.
IndexSummary relist_dataset(const std::string& folder, const IndexOptions& options,
                            pipeline::Workers& workers, base::Reporter& reporter);

}  // namespace shardmill::index
