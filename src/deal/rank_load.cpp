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

}  // namespace shardmill::deal
