// The card of a dataset for Hugging Face, with the features that load_dataset reads, and its Croissant
// description.
#pragma once

#include <string>
#include <vector>

#include "base/reporter.hpp"
#include "dataset/index_files.hpp"
#include "pipeline/workers.hpp"

namespace shardmill::dataset {

/// Reads the headers of the shards and all manifests.
void write_card(const std::vector<ShardToIndex>& shards, const std::string& folder,
                pipeline::Workers& workers, base::Reporter& reporter, WrittenIndexes& written);

}  // namespace shardmill::dataset
