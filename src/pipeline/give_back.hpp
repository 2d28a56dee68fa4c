// give_back: takes samples out of the shards of one part again, so that they can be dealt over the shards of
// all parts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace shardmill::pipeline {

/// Moves the last samples of each shard of a part to the held samples of the part. It stops when `samples` of
/// a shard have been moved, those of earlier calls included, or when the shard is empty. `datasets` are the
/// names of the part's datasets. The result is durable on return, and the call may be repeated after a crash.
/// The part must have read all its sources, and nothing else may work in the folder.
void give_back(const std::string& work_folder, const std::vector<std::string>& datasets,
               std::uint64_t samples);

}  // namespace shardmill::pipeline
