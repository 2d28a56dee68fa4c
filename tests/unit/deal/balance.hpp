// Balance: how equal dealt shards are, to check the promise of the deal.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <span>
#include <vector>

#include "deal/dataset_deal.hpp"

namespace shardmill::deal {

/// What one shard contains.
struct ShardTotals {
  Duration duration{};
  std::vector<std::uint64_t> samples;  // per dataset
};

struct CountRange {
  std::uint64_t least = 0;
  std::uint64_t most = 0;

  std::uint64_t spread() const { return most - least; }
};

struct Balance {
  Duration shortest{};
  Duration longest{};
  Duration mean{};     // rounded down
  CountRange samples;  // of all datasets together
  std::vector<CountRange> dataset_samples;

  Duration spread() const { return longest - shortest; }
  /// The largest spread that the promise allows: 10 ms or 1e-5 of the mean, whichever is larger.
  Duration tolerance() const { return std::max<Duration>(std::chrono::milliseconds(10), mean / 100'000); }
  /// True when audio times are within the tolerance and all counts within one.
  bool even() const;
};

/// All `shards` must have the same number of datasets, and there must be at least one shard.
Balance measure_balance(std::span<const ShardTotals> shards);

}  // namespace shardmill::deal
