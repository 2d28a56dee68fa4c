// Quotas: how many of the held samples of each dataset each shard is to get, so that counts come out equal.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "deal/dataset_deal.hpp"

namespace shardmill::deal {

/// Of one dataset.
struct Quota {
  std::vector<std::uint32_t> samples;  // per shard: held samples to get
  std::vector<bool> extra;             // per shard: whether it ends up with one more than the fewest
};

/// One Quota a dataset. `held` is the number of held samples of each. Shards are filled up from the one that
/// has fewest; which of those filled to the same level get one more is chosen so that the total over all
/// datasets comes out equal too.
std::vector<Quota> make_quotas(std::span<const std::span<const Holding>> dealt,
                               std::span<const std::uint64_t> held);

}  // namespace shardmill::deal
