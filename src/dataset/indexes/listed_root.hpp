// root_in_list(): what stands before the shards in data.list.
#pragma once

#include <optional>
#include <string>

#include "dataset/records.hpp"

namespace shardmill::dataset {

/// nullopt where the first line of data.list does not name the first shard. There must be shards. Throws
/// Error where data.list cannot be read.
std::optional<std::string> root_in_list(const DatasetRecords& records);

}  // namespace shardmill::dataset
