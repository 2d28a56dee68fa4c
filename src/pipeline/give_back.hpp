// give_back: takes samples out of the shards of a part again, so that they can be dealt over the shards of
// all parts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace shardmill::pipeline {

/// Moves the last samples of each shard of a part to its held samples, until `samples` of each shard have
/// been moved in all, or the shard is empty. `datasets` are the names of the part's datasets. Durable on
/// return; may be repeated after a crash. The part must have read all its sources, and nothing else may work
/// in the folder.
void give_back(const std::string& work_folder, const std::vector<std::string>& datasets,
               std::uint64_t samples);

}  // namespace shardmill::pipeline
