// deal_rest: deals the samples that were held back, so that counts and audio times become equal.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "deal/dataset_deal.hpp"

namespace shardmill::deal {

/// A sample that was held back.
struct HeldSample {
  std::uint32_t dataset = 0;
  Duration duration{};
};

/// The shard for each held sample. `dealt` is what each shard already has of each dataset. Afterwards all
/// shards have the same number of samples, or one more, of every dataset and in total, as far as there are
/// enough held samples to make up for earlier differences. `equal`: in total exactly the same number, see
/// make_quotas().
std::vector<std::uint32_t> deal_rest(std::span<const std::span<const Holding>> dealt,
                                     std::span<const HeldSample> held, bool equal = false);

}  // namespace shardmill::deal
