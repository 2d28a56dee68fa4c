// refine: exchanges held samples between shards until all shards have the same audio time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "deal/quota.hpp"
#include "deal/rest.hpp"

namespace shardmill::deal {

/// Changes `shard_of` (the shard of each held sample) and `totals` (the audio time of each shard) until all
/// audio times are within a millisecond, or no exchange brings them closer. Counts keep the quotas: a sample
/// is exchanged for one of the same dataset. Samples of two datasets are exchanged only where one shard has
/// the extra sample of the one dataset, and the other shard that of the other.
void refine(std::span<Duration> totals, std::vector<Quota> quotas, std::span<const HeldSample> held,
            std::span<std::uint32_t> shard_of);

}  // namespace shardmill::deal
