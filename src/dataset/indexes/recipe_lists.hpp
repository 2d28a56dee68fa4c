// The lists for the recipes of SpeechBrain and Amphion, made from the manifests of a dataset.
#pragma once

#include <string>
#include <vector>

#include "base/reporter.hpp"
#include "dataset/index_files.hpp"

namespace shardmill::dataset {

void write_recipe_lists(const IndexKinds& kinds, const std::vector<ShardToIndex>& shards,
                        const std::string& folder, base::Reporter& reporter, WrittenIndexes& written);

}  // namespace shardmill::dataset
