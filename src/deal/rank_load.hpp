// RankLoad: how much each rank and worker gets from a split, and how long ranks wait for each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "deal/loader_rule.hpp"

namespace shardmill::deal {

/// How much one shard contains, or how much somebody reads in all.
struct Load {
  std::size_t shards = 0;
  std::uint64_t samples = 0;
  double seconds = 0;  // of audio
  std::uint64_t bytes = 0;

  Load& operator+=(const Load& other);
};

struct RankLoad {
  Load total;
  std::vector<Load> workers;
  double idle_share = 0;  // of the epoch that it waits for the rank with most audio, if all are equally fast
};

struct SplitLoad {
  std::vector<RankLoad> ranks;
  ShardNumbers unread;  // shards that no rank reads

  /// The rank that waits longest; of equals, the first.
  std::size_t idlest() const;
  double worst_idle_share() const { return ranks[idlest()].idle_share; }
  /// How many ranks have no samples at all.
  std::size_t ranks_without_data() const;
  std::size_t workers_without_data() const;
};

/// `split` must have at least one rank, and use only numbers of `shards`.
SplitLoad weigh(const Split& split, std::span<const Load> shards);

/// The sum of all loads.
Load sum(std::span<const Load> shards);

}  // namespace shardmill::deal
