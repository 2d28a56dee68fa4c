// Parquet files as Hugging Face has them: a copy of the samples in tables, the audio as it is.
#pragma once

#include <string>
#include <vector>

#include "base/reporter.hpp"
#include "dataset/index_files.hpp"
#include "pipeline/workers.hpp"

namespace shardmill::dataset {

/// "parquet/train-00000-of-00003.parquet" for each shard, and "parquet/README.md".
std::vector<std::string> parquet_names(std::size_t shards);

/// Copies the audio as it is. All files have the same columns. Throws Error where the audio is not that which
/// the manifest describes, and for a sample that is too large for the form, before anything is written.
void write_parquet(const std::vector<ShardToIndex>& shards, const std::string& folder,
                   pipeline::Workers& workers, base::Reporter& reporter, WrittenIndexes& written);

}  // namespace shardmill::dataset
