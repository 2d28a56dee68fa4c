// give_back: a part takes samples out of its shards again, for the deal over the shards of all parts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace shardmill::pipeline {

/// Moves the last samples of each shard of a part to those that it holds back, until `samples` of each were
/// moved in all, or the shard is empty. `datasets` are the names of the part's datasets. Durable when it
/// returns; may be repeated after a crash. Nothing else may work in the folder, in which all sources are
/// read.
void give_back(const std::string& work_folder, const std::vector<std::string>& datasets,
               std::uint64_t samples);

}  // namespace shardmill::pipeline
