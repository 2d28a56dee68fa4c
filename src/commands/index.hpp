// index: gives existing shards the indexes that other projects' loaders want.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/reporter.hpp"
#include "dataset/index_files.hpp"
#include "pipeline/workers.hpp"

namespace shardmill::commands {

struct IndexOptions {
  std::vector<std::string> targets;  // one dataset folder, or shards in any form that sources take
  dataset::IndexKinds kinds;
  std::string list_root{};  // new prefix of the shards in a dataset's lists; empty: lists stay
  std::string command;      // the command line, shown to others whom the lock keeps out
};

struct IndexSummary {
  std::string folder;  // the folder that the indexes are for
  std::uint64_t shards = 0;
  std::uint64_t samples = 0;
  std::vector<std::string> files;    // indexes, relative to it
  std::vector<std::string> lists{};  // lists and records that were written anew
};

/// In a dataset, the indexes are added to SHA256SUMS. Throws UsageError for an index that these shards cannot
/// have, and Error for shards that are not sound plain tars.
IndexSummary run_index(const IndexOptions& options, pipeline::Workers& workers, base::Reporter& reporter);

}  // namespace shardmill::commands
