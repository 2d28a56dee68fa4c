// The end of the deal: the samples that were held back go where they make counts and seconds equal.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "shardmill/deal/duration_histogram.hpp"

namespace shardmill::deal {

/// A sample that was held back.
struct HeldSample {
  std::uint32_t dataset = 0;
  Duration duration{};
};

/// What was dealt of a dataset before.
struct DealtBefore {
  std::uint64_t samples = 0;
  std::vector<std::uint32_t>
      unserved;  // shards still to be served in the round under way; empty between rounds
};

/// The shard of each held sample. `shards` is what each shard holds before. Of every dataset and in total,
/// each shard ends up with the same number of samples or one more; the total only as far as the held samples
/// suffice to complete the rounds under way.
std::vector<std::uint32_t> deal_rest(std::span<const Duration> shards, std::span<const DealtBefore> datasets,
                                     std::span<const HeldSample> held);

}  // namespace shardmill::deal
