// RankPace: whether the loader workers of a rank keep its trainer busy.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "deal/loader_rule.hpp"
#include "deal/rank_load.hpp"

namespace shardmill::deal {

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

}  // namespace shardmill::deal
