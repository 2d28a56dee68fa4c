// Rank plans: assigns shards to ranks and workers so that they are as even as possible.
#pragma once

#include <span>

#include "deal/loader_rule.hpp"
#include "deal/rank_load.hpp"

namespace shardmill::deal {

/// Gives every shard to one rank. If the number of shards can be divided, all ranks get the same number, and
/// audio time is as equal as greedy dealing and swapping can make it; otherwise only audio time counts. The
/// workers of a rank are even, too, and are those that split_among_workers() makes of rank_list(). There must
/// be at least as many shards as ranks. Deterministic.
Split even_split(std::span<const Load> shards, const Team& team);

/// A rank's shards, in the order in which its list must name them.
ShardNumbers rank_list(const std::vector<ShardNumbers>& workers);

}  // namespace shardmill::deal
