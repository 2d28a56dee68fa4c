#include "deal/balance.hpp"

#include <numeric>

namespace shardmill::deal {
namespace {

void include(CountRange& range, std::uint64_t count) {
  range.least = std::min(range.least, count);
  range.most = std::max(range.most, count);
}

std::uint64_t total_samples(const ShardTotals& shard) {
  return std::accumulate(shard.samples.begin(), shard.samples.end(), std::uint64_t{0});
}

}  // namespace

Balance measure_balance(std::span<const ShardTotals> shards) {
  const ShardTotals& first = shards.front();
  Balance balance;
  balance.shortest = first.duration;
  balance.longest = first.duration;
  balance.samples = {total_samples(first), total_samples(first)};
  for (const std::uint64_t samples : first.samples) balance.dataset_samples.push_back({samples, samples});
  for (const ShardTotals& shard : shards.subspan(1)) {
    balance.shortest = std::min(balance.shortest, shard.duration);
    balance.longest = std::max(balance.longest, shard.duration);
    include(balance.samples, total_samples(shard));
    for (std::size_t d = 0; d < shard.samples.size(); ++d)
      include(balance.dataset_samples[d], shard.samples[d]);
  }
  // The sum of many long shards might not fit into 64 bits. The sum of what each has above the shortest does.
  Duration above{};
  for (const ShardTotals& shard : shards) above += shard.duration - balance.shortest;
  balance.mean = balance.shortest + above / static_cast<std::int64_t>(shards.size());
  return balance;
}

bool Balance::even() const {
  return spread() <= tolerance() && samples.spread() <= 1 &&
         std::all_of(dataset_samples.begin(), dataset_samples.end(),
                     [](const CountRange& range) { return range.spread() <= 1; });
}

}  // namespace shardmill::deal
