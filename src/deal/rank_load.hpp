// RankLoad: how much each rank and worker gets by a split, and how long ranks wait for each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "deal/loader_rule.hpp"

namespace shardmill::deal {

/// What shards hold: one of them, or all that somebody reads.
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
  double idle_share = 0;  // of the epoch: it waits for the rank that has most audio, if all work as fast
};

struct SplitLoad {
  std::vector<RankLoad> ranks;
  ShardNumbers unread;  // shards that nobody reads

  /// The rank that waits longest, the first of equals.
  std::size_t idlest() const;
  double worst_idle_share() const { return ranks[idlest()].idle_share; }
  /// Those without a single sample.
  std::size_t ranks_without_data() const;
  std::size_t workers_without_data() const;
};

/// `split` has at least one rank and speaks of `shards` only.
SplitLoad weigh(const Split& split, std::span<const Load> shards);

/// The sum of all.
Load sum(std::span<const Load> shards);

}  // namespace shardmill::deal
