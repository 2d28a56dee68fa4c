// The plan of convert: which shard becomes which file, and whether the folder can take the results.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "convert/options.hpp"

namespace shardmill::convert {

/// One entry for each shard, in the order given. Throws UsageError when two results would have the same name,
/// or when a result would replace a source.
std::vector<ConvertedShard> plan_results(const ConvertOptions& options);

/// The paths of the results alone.
std::vector<std::string> converted_paths(const ConvertOptions& options);

/// Throws Error unless everything in the folder is a result of convert that this run would write again.
void check_folder(const ConvertOptions& options, const std::vector<ConvertedShard>& shards);

/// About how much space the results take that are still to be written.
std::uint64_t needed_bytes(const std::vector<ConvertedShard>& shards, const ConvertOptions& options);

}  // namespace shardmill::convert
