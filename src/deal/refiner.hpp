// Refining: exchanges held samples between shards until all shards have the same audio time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "deal/quota.hpp"
#include "deal/rest.hpp"

namespace shardmill::deal {

/// Changes `shard_of`, the shard of each held sample, until the audio times `totals` of all shards (changed
/// alike) are within a millisecond, or no exchange brings them closer. Counts stay within the quotas'
/// promise: a sample goes against one of the same dataset, or, where one shard has the extra sample of one
/// dataset and the other that of another dataset, these two.
void refine(std::span<Duration> totals, std::vector<Quota> quotas, std::span<const HeldSample> held,
            std::span<std::uint32_t> shard_of);

}  // namespace shardmill::deal
