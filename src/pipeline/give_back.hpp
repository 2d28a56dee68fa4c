// give_back: takes samples out of the spools again, so that they can be dealt together with the held ones.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "deal/rest.hpp"

namespace shardmill::pipeline {

/// The samples of each spool in its order. `datasets` are the names of the datasets of the run.
std::vector<std::vector<deal::HeldSample>> read_dealt_samples(const std::string& work_folder,
                                                              const std::vector<std::string>& datasets,
                                                              std::uint32_t shards);

/// Moves the last `samples` samples of each spool, or all if there are fewer, to the held samples. The
/// journal says then that this is done: the result is durable on return, and a second call changes nothing.
/// All sources must have been read, and nothing else may work in the folder.
void give_back(const std::string& work_folder, const std::vector<std::string>& datasets,
               std::uint64_t samples);

}  // namespace shardmill::pipeline
