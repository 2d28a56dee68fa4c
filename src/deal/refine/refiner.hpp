// refine: exchanges held samples between shards until all shards have the same audio time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "deal/quota.hpp"
#include "deal/rest.hpp"

namespace shardmill::deal {

/// Where each held sample goes, and the totals and quotas that result.
struct Placement {
  std::vector<Duration> totals;         // audio time of each shard
  std::vector<Quota> quotas;            // of each dataset
  std::vector<std::uint32_t> shard_of;  // of each held sample
  /// By shard: whether it ends up with one sample more in total than the fewest. Empty: the totals must stay
  /// as they are.
  std::vector<bool> extra{};
};

/// The difference between the longest shard and the shortest.
Duration spread(const Placement& placement);

/// The spread at which refining ends: a millisecond, or more where all durations are multiples of more.
Duration wanted_spread(std::span<const HeldSample> held);

/// Changes `placement` until the audio times of all shards are within wanted_spread(), or no exchange brings
/// them closer. Counts keep the quotas: a sample is exchanged for one of the same dataset. Samples of two
/// datasets are exchanged only where one shard has the extra sample of the one dataset, and the other shard
/// that of the other.
void refine(Placement& placement, std::span<const HeldSample> held);

}  // namespace shardmill::deal
