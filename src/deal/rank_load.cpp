#include "deal/rank_load.hpp"

#include <algorithm>

namespace shardmill::deal {

Load& Load::operator+=(const Load& other) {
  shards += other.shards;
  samples += other.samples;
  seconds += other.seconds;
  bytes += other.bytes;
  return *this;
}

std::size_t SplitLoad::idlest() const {
  const auto found = std::max_element(ranks.begin(), ranks.end(), [](const RankLoad& a, const RankLoad& b) {
    return a.idle_share < b.idle_share;
  });
  return static_cast<std::size_t>(found - ranks.begin());
}

std::size_t SplitLoad::ranks_without_data() const {
  return static_cast<std::size_t>(std::count_if(
      ranks.begin(), ranks.end(), [](const RankLoad& rank) { return rank.total.samples == 0; }));
}

std::size_t SplitLoad::workers_without_data() const {
  std::ptrdiff_t count = 0;
  for (const RankLoad& rank : ranks) {
    count += std::count_if(rank.workers.begin(), rank.workers.end(),
                           [](const Load& worker) { return worker.samples == 0; });
  }
  return static_cast<std::size_t>(count);
}

SplitLoad weigh(const Split& split, std::span<const Load> shards) {
  SplitLoad result;
  std::vector<bool> is_read(shards.size());
  double most = 0;
  for (const auto& workers : split) {
    RankLoad& rank = result.ranks.emplace_back();
    for (const ShardNumbers& numbers : workers) {
      Load& worker = rank.workers.emplace_back();
      for (const std::size_t number : numbers) {
        worker += shards[number];
        is_read[number] = true;
      }
      rank.total += worker;
    }
    most = std::max(most, rank.total.seconds);
  }
  for (RankLoad& rank : result.ranks) rank.idle_share = most > 0 ? 1 - rank.total.seconds / most : 0;
  for (std::size_t number = 0; number < shards.size(); ++number) {
    if (!is_read[number]) result.unread.push_back(number);
  }
  return result;
}

Load sum(std::span<const Load> shards) {
  Load all;
  for (const Load& shard : shards) all += shard;
  return all;
}

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
