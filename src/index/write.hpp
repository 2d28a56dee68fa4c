// index: writes the indexes that other projects' loaders want for existing shards, and the lists of a dataset
// that was moved.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/reporter.hpp"
#include "dataset/forms.hpp"
#include "pipeline/workers.hpp"

namespace shardmill::index {

struct IndexOptions {
  std::vector<std::string> targets;  // one dataset folder, or shards in any form that sources take
  dataset::Forms kinds;
  std::string list_root{};  // new prefix of the shards in a dataset's lists; empty: lists stay
  std::string command;      // the command line, shown to others whom the lock keeps out
};

struct IndexSummary {
  std::string folder;  // the folder that the indexes are for
  std::uint64_t shards = 0;
  std::uint64_t samples = 0;
  std::vector<std::string> files;    // indexes, relative to it
  std::vector<std::string> lists{};  // lists and records that were written again
};

/// The shards that indexes are written for, and the folder that the indexes go to.
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

/// In a dataset, the indexes are added to SHA256SUMS. Throws UsageError for an index that these shards cannot
/// have, and Error for shards that are not sound plain tars.
IndexSummary run_index(const IndexOptions& options, pipeline::Workers& workers, base::Reporter& reporter);

}  // namespace shardmill::index
