// Balance: how equal the shards are, for reports and for the promise.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <span>
#include <vector>

#include "deal/dataset_deal.hpp"

namespace shardmill::deal {

/// What one shard holds.
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
  /// What the spread may be: 10 ms or 1e-5 of the mean, whichever is larger.
  Duration tolerance() const { return std::max<Duration>(std::chrono::milliseconds(10), mean / 100'000); }
  /// Audio time within the tolerance, and all counts within one.
  bool even() const;
};

/// All of `shards` have as many datasets; at least one shard.
Balance measure_balance(std::span<const ShardTotals> shards);

}  // namespace shardmill::deal
