// Mosaic's streaming datasets (MDS): a copy of the samples in files that are read by number.
#pragma once

#include <string>
#include <vector>

#include "base/reporter.hpp"
#include "dataset/index_files.hpp"
#include "pipeline/workers.hpp"

namespace shardmill::dataset {

/// "mds/shard.00000.mds" for each shard, and "mds/index.json".
std::vector<std::string> mds_names(std::size_t shards);

/// Copies the audio as it is. Throws Error where it is not the audio that the manifest describes, and for a
/// shard that is too large for the form.
void write_mds(const std::vector<ShardToIndex>& shards, const std::string& folder, pipeline::Workers& workers,
               base::Reporter& reporter, WrittenIndexes& written);

}  // namespace shardmill::dataset
