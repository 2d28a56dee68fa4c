// The end of the deal: the samples that were held back go where they make counts and seconds equal.
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

/// The shard of each held sample. `dealt` is what each shard holds already, of each dataset. Of every dataset
/// and in total, each shard ends up with the same number of samples or one more, as far as there are enough
/// held samples to make up for the differences before.
std::vector<std::uint32_t> deal_rest(std::span<const std::span<const Holding>> dealt,
                                     std::span<const HeldSample> held);

}  // namespace shardmill::deal
