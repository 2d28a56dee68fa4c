// index: gives existing shards the indexes that other projects' loaders want.
#pragma once

#include "base/reporter.hpp"
#include "index/options.hpp"
#include "pipeline/workers.hpp"

namespace shardmill::commands {

/// In a dataset, the indexes are added to SHA256SUMS. Throws UsageError for an index that these shards cannot
/// have, and Error for shards that are not sound plain tars.
index::IndexSummary run_index(const index::IndexOptions& options, pipeline::Workers& workers,
                              base::Reporter& reporter);

}  // namespace shardmill::commands
