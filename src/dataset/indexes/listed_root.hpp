// The place of a dataset by its data.list, and its shards as indexes name them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dataset/index_files.hpp"
#include "dataset/records.hpp"

namespace shardmill::dataset {

/// nullopt where the first line of data.list does not name the first shard. There must be shards. Throws
/// Error where data.list cannot be read.
std::optional<std::string> root_in_list(const DatasetRecords& records);

/// All shards of the dataset, listed below `root`. The record of the shards must have been read.
std::vector<ShardToIndex> shards_below(const DatasetRecords& records, const std::string& root);

}  // namespace shardmill::dataset
