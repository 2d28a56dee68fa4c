#include "deal/shard_count.hpp"

#include <algorithm>

namespace shardmill::deal {
namespace {

std::uint64_t divide_to_nearest(std::uint64_t value, std::uint64_t by) {
  const std::uint64_t rest = value % by;
  return value / by + (rest >= by - rest ? 1 : 0);
}

std::uint64_t to_multiple(std::uint64_t shards, std::uint64_t of) {
  return std::max<std::uint64_t>(1, divide_to_nearest(shards, of)) * of;
}

std::uint64_t amount_in(const InputEstimate& estimate, ShardSizing::By by) {
  switch (by) {
    case ShardSizing::By::seconds:
      return estimate.seconds;
    case ShardSizing::By::bytes:
      return estimate.bytes;
    default:
      return estimate.samples;
  }
}

}  // namespace

std::uint64_t shard_count(const ShardSizing& sizing, const InputEstimate& estimate) {
  const std::uint64_t m = sizing.multiple_of;
  if (sizing.by == ShardSizing::By::shards) return to_multiple(sizing.amount, m);

  const std::uint64_t most = std::max<std::uint64_t>(1, estimate.samples);
  const std::uint64_t shards = divide_to_nearest(amount_in(estimate, sizing.by), sizing.amount);
  const std::uint64_t rounded = to_multiple(std::clamp<std::uint64_t>(shards, 1, most), m);
  return rounded <= most ? rounded : std::max<std::uint64_t>(1, most / m) * m;
}

}  // namespace shardmill::deal
