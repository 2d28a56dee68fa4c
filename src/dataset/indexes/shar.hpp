// Lhotse Shar: a copy of the audio with the descriptions that Lhotse wants in the tar and beside it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/reporter.hpp"
#include "dataset/index_files.hpp"
#include "pipeline/workers.hpp"

namespace shardmill::dataset {

/// "shar/cuts.000000.jsonl.gz" and "shar/recording.000000.tar" for each shard.
std::vector<std::string> shar_names(std::size_t shards);

/// Copies the audio as it is. Throws Error where it is not the audio that the manifest describes.
void write_shar(const std::vector<ShardToIndex>& shards, const std::string& folder,
                pipeline::Workers& workers, base::Reporter& reporter, WrittenIndexes& written);

}  // namespace shardmill::dataset
