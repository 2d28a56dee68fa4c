// How much each rank and worker gets from a split, and how long ranks wait for each other (RankLoad); whether
// the loader workers of a rank keep its trainer busy (RankPace); and the split that is as even as possible
// (even_split).
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

struct RankPace {
  double train_seconds = 0;  // how long its trainer needs for its audio, if the workers keep up
  double load_seconds = 0;   // how long the slowest of its workers needs
  double delivered = 0;      // seconds of audio per second, over the whole epoch; 0 without audio
  double busy_share = 0;     // share of the epoch; the epoch ends with the slowest rank

  bool starves() const { return load_seconds > train_seconds; }
};

/// `shard_load_seconds` is how long a worker takes for each shard; `needed` is how many seconds of audio per
/// second the trainer of a rank takes at full speed. Assumes that the workers of a rank work side by side,
/// and that all ranks begin together.
std::vector<RankPace> pace(const Split& split, std::span<const Load> shards,
                           std::span<const double> shard_load_seconds, double needed);

/// Gives every shard to one rank. If the number of shards can be divided, all ranks get the same number, and
/// audio time is as equal as greedy dealing and swapping can make it; otherwise only audio time counts. The
/// workers of a rank are even, too, and are those that split_among_workers() makes of rank_list(). There must
/// be at least as many shards as ranks. Deterministic.
Split even_split(std::span<const Load> shards, const Team& team);

/// A rank's shards, in the order in which its list must name them.
ShardNumbers rank_list(const std::vector<ShardNumbers>& workers);

}  // namespace shardmill::deal
