// Rank plans: shards dealt to ranks and workers by hand, as evenly as they let themselves be dealt.
#pragma once

#include <span>

#include "deal/loader_rule.hpp"
#include "deal/rank_load.hpp"

namespace shardmill::deal {

/// Every shard goes to one rank. All ranks get the same number of shards where that divides; audio time is
/// as equal as greedy dealing and swapping make it, and decides alone where it does not divide. A rank's
/// workers are those that split_among_workers() makes of rank_list(), and even too. There must be at least as
/// many shards as ranks. The same for the same input everywhere.
Split even_split(std::span<const Load> shards, const Team& team);

/// A rank's shards in the order in which a list must name them.
ShardNumbers rank_list(const std::vector<ShardNumbers>& workers);

}  // namespace shardmill::deal
