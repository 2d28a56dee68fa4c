#include "convert/options.hpp"

#include <algorithm>

namespace shardmill::convert {

std::size_t ConvertSummary::count(ConvertedShard::Outcome outcome) const {
  return static_cast<std::size_t>(std::count_if(shards.begin(), shards.end(),
                                                [&](const auto& shard) { return shard.outcome == outcome; }));
}

}  // namespace shardmill::convert
