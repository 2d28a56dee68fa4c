// Rank lists: the files under ranks/: written, and checked by verify.
#pragma once

#include <string>

#include "shardmill/commands/dataset_records.hpp"
#include "shardmill/commands/finding.hpp"
#include "shardmill/commands/ranks.hpp"

namespace shardmill::commands {

/// Lists of each rank of each world size, and of all shards for loaders that stride, then plan.json. Throws
/// Error when they cannot be written.
void write_rank_lists(const std::string& folder, const RanksSummary& summary);

/// Each world size's lists must name each shard of the dataset once. Nothing is there: nothing to check.
void check_rank_lists(const DatasetRecords& records, FindingList& findings);

}  // namespace shardmill::commands
