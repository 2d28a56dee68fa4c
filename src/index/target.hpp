// The shards that indexes are written for, and the folder that the indexes go to.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/reporter.hpp"
#include "dataset/forms.hpp"
#include "index/options.hpp"
#include "pipeline/workers.hpp"

namespace shardmill::index {

struct Target {
  std::string folder;
  std::uint64_t samples = 0;  // if known
  std::vector<dataset::ShardToIndex> shards{};
};

/// All shards of a finished dataset. Throws Error when the dataset is unsound, and UsageError when an index
/// is useless for its shards.
Target dataset_target(const std::string& folder, const IndexOptions& options, pipeline::Workers& workers,
                      base::Reporter& reporter);

/// Shards that shardmill did not make. Throws UsageError for an index that they cannot have, and Error for
/// shards that are compressed.
Target shard_target(const IndexOptions& options);

}  // namespace shardmill::index
