// Quotas: how many of the held samples of each dataset each shard is to get, so that counts come out equal.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "shardmill/deal/rest.hpp"

namespace shardmill::deal {

/// Of one dataset.
struct Quota {
  std::vector<std::uint32_t> samples;  // per shard: held samples to get
  std::vector<bool> extra;             // per shard: whether it ends up with one more than the fewest
};

/// One Quota a dataset. `held` is the number of held samples of each.
std::vector<Quota> make_quotas(std::span<const Duration> shards, std::span<const DealtBefore> datasets,
                               std::span<const std::uint64_t> held);

}  // namespace shardmill::deal
