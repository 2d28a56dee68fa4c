#include "shard/shard_tally.hpp"

namespace shardmill::shard {

double seconds(std::chrono::nanoseconds duration) {
  return static_cast<double>(duration.count()) / 1e9;
}

manifest::DatasetRecord::Balance balance_of(const std::vector<ShardTally>& tallies) {
  manifest::DatasetRecord::Balance balance;
  std::chrono::nanoseconds sum{};
  std::chrono::nanoseconds shortest = tallies.front().duration();
  std::chrono::nanoseconds longest{};
  balance.min_samples = tallies.front().samples();
  for (const ShardTally& tally : tallies) {
    const auto duration = tally.duration();
    sum += duration;
    shortest = std::min(shortest, duration);
    longest = std::max(longest, duration);
    balance.min_samples = std::min(balance.min_samples, tally.samples());
    balance.max_samples = std::max(balance.max_samples, tally.samples());
  }
  balance.min_seconds = seconds(shortest);
  balance.mean_seconds = seconds(sum) / static_cast<double>(tallies.size());
  balance.max_seconds = seconds(longest);
  return balance;
}

}  // namespace shardmill::shard
