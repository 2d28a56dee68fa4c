// The indexes with which Lhotse and NeMo find single lines of the manifests.
#pragma once

#include <string>
#include <vector>

#include "base/reporter.hpp"
#include "dataset/index_files.hpp"
#include "pipeline/workers.hpp"

namespace shardmill::dataset {

/// The names of these indexes for a dataset of so many shards.
std::vector<std::string> line_index_names(std::size_t shards);

/// One index for each manifest and one for the file of all samples, which is the manifests one after another.
/// Writes nothing for shards without manifests.
void write_line_indexes(const std::vector<ShardToIndex>& shards, const std::string& folder,
                        pipeline::Workers& workers, base::Reporter& reporter, WrittenIndexes& written);

}  // namespace shardmill::dataset
