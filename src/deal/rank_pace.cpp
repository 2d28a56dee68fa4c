#include "deal/rank_pace.hpp"

#include <algorithm>

namespace shardmill::deal {

std::vector<RankPace> pace(const Split& split, std::span<const Load> shards,
                           std::span<const double> shard_load_seconds, double needed) {
  std::vector<RankPace> ranks;
  double epoch_seconds = 0;
  for (const auto& workers : split) {
    RankPace& rank = ranks.emplace_back();
    double audio_seconds = 0;
    for (const ShardNumbers& numbers : workers) {
      double worker_seconds = 0;
      for (const std::size_t number : numbers) {
        worker_seconds += shard_load_seconds[number];
        audio_seconds += shards[number].seconds;
      }
      rank.load_seconds = std::max(rank.load_seconds, worker_seconds);
    }
    rank.train_seconds = audio_seconds / needed;
    if (rank.load_seconds > 0) rank.delivered = audio_seconds / rank.load_seconds;
    epoch_seconds = std::max({epoch_seconds, rank.train_seconds, rank.load_seconds});
  }
  for (RankPace& rank : ranks) {
    rank.busy_share = epoch_seconds > 0 ? rank.train_seconds / epoch_seconds : 1;
  }
  return ranks;
}

}  // namespace shardmill::deal
