// Writes the lists of a rank plan as text.
#pragma once

#include "dataset/rank_lists.hpp"
#include "ranks/options.hpp"

namespace shardmill::ranks {

/// The lists for all world sizes, and plan.json. Throws Error for paths that a list cannot hold.
dataset::RankFiles rank_files_of(const RanksSummary& summary);

}  // namespace shardmill::ranks
