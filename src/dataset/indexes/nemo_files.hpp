// What NeMo wants to know of a dataset: where it is, and the buckets for its Lhotse reader.
#pragma once

#include <string>
#include <vector>

#include "base/reporter.hpp"
#include "dataset/index_files.hpp"
#include "pipeline/workers.hpp"

namespace shardmill::dataset {

/// nemo/input_cfg.yaml and nemo/buckets.yaml, from the manifests alone.
void write_nemo_files(const std::vector<ShardToIndex>& shards, const std::string& folder,
                      pipeline::Workers& workers, base::Reporter& reporter, WrittenIndexes& written);

/// The first of them.
std::string nemo_input(const std::vector<ShardToIndex>& shards);

}  // namespace shardmill::dataset
