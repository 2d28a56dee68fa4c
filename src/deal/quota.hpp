// Quotas: how many of the held samples of each dataset each shard gets, so that counts become equal.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "deal/dataset_deal.hpp"

namespace shardmill::deal {

/// The quota of one dataset.
struct Quota {
  std::vector<std::uint32_t> samples;  // by shard: how many held samples it gets
  std::vector<bool> extra;             // by shard: whether it ends up with one more than the fewest
};

/// One Quota for each dataset; `held` is the number of held samples of each. Shards are filled from the one
/// that has fewest. Which of several equally filled shards get one more is chosen so that the totals over all
/// datasets become equal, too.
/// `equal`: the totals must become equal, even where the counts of a dataset then differ by more than one.
/// The held samples must make them a multiple of the shards, and be enough.
std::vector<Quota> make_quotas(std::span<const std::span<const Holding>> dealt,
                               std::span<const std::uint64_t> held, bool equal = false);

}  // namespace shardmill::deal
