// fill_shards: fills some shards from a stock of samples, so that each gets its counts and its audio time;
// the samples that are not needed stay.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "deal/rest.hpp"

namespace shardmill::deal {

/// Stands for a shard where a sample is in none.
inline constexpr std::uint32_t kNoShard = UINT32_MAX;

/// What the shards get, and must hold in the end.
struct Order {
  std::vector<std::vector<std::uint32_t>> counts;  // by shard: samples of each dataset that it gets
  Duration time{};                                 // audio time that each shard has then
  std::vector<Duration> before{};                  // what each shard has beside the samples; empty: nothing
};

struct Filling {
  std::vector<std::uint32_t> shard_of;  // of each sample; kNoShard: it stays
  std::vector<Duration> totals;         // audio time of each shard
};

/// `homes`: for each sample the shard that it is in already, or kNoShard. Most samples stay in their shards:
/// they are only exchanged to reach the time. No shard has more samples of a dataset than the order says.
/// nullopt when there are too few samples of a dataset, or when no choice of them comes to about the time in
/// total. The caller looks at the totals: what could be reached may be some way from the order.
std::optional<Filling> fill_shards(const Order& order, std::span<const HeldSample> samples,
                                   std::span<const std::uint32_t> homes);

}  // namespace shardmill::deal
