// The indexes with which loaders find single samples, made from the headers of the shards.
#pragma once

#include <string>
#include <vector>

#include "base/reporter.hpp"
#include "dataset/index_files.hpp"
#include "pipeline/workers.hpp"

namespace shardmill::dataset {

void write_loader_indexes(const IndexKinds& kinds, const std::vector<ShardToIndex>& shards,
                          const std::string& folder, pipeline::Workers& workers, base::Reporter& reporter,
                          WrittenIndexes& written);

}  // namespace shardmill::dataset
