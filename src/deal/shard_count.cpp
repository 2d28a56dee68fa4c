#include "deal/shard_count.hpp"

#include <algorithm>

namespace shardmill::deal {
namespace {

std::uint64_t divide_to_nearest(std::uint64_t value, std::uint64_t by) {
  const std::uint64_t rest = value % by;
  return value / by + (rest >= by - rest ? 1 : 0);
}

std::uint64_t to_multiple(std::uint64_t shards, std::uint64_t of) {
  return std::max<std::uint64_t>(1, divide_to_nearest(shards, of)) * of;
}

std::uint64_t amount_in(const InputEstimate& estimate, ShardSizing::By by) {
  switch (by) {
    case ShardSizing::By::seconds:
      return estimate.seconds;
    case ShardSizing::By::bytes:
      return estimate.bytes;
    default:
      return estimate.samples;
  }
}

}  // namespace

std::uint64_t shard_count(const ShardSizing& sizing, const InputEstimate& estimate) {
  const std::uint64_t m = sizing.multiple_of;
  if (sizing.by == ShardSizing::By::shards) return to_multiple(sizing.amount, m);

  const std::uint64_t most = std::max<std::uint64_t>(1, estimate.samples);
  const std::uint64_t shards = divide_to_nearest(amount_in(estimate, sizing.by), sizing.amount);
  const std::uint64_t rounded = to_multiple(std::clamp<std::uint64_t>(shards, 1, most), m);
  return rounded <= most ? rounded : std::max<std::uint64_t>(1, most / m) * m;
}

namespace {

constexpr std::uint64_t kGoodShardBytes = 500'000'000;
constexpr std::uint64_t kSmallestGoodBytes = 100'000'000;
// Below this, opening a shard and seeking to it cost a network disk as much as reading it.
constexpr std::uint64_t kSmallShardBytes = 50'000'000;
constexpr double kClearlyLarger = 1.5;
constexpr std::uint64_t kShardsToShuffle = 4;    // of each worker
constexpr std::uint64_t kSamplesToBalance = 64;  // in each shard
constexpr std::uint64_t kMostBufferBytes = 200'000'000;

/// How many shards each worker reads, at least one.
std::uint64_t shards_per_worker(const InputEstimate& amount, std::uint64_t readers) {
  const std::uint64_t worker_bytes = amount.bytes / readers;
  std::uint64_t shards = (worker_bytes + kGoodShardBytes / 2) / kGoodShardBytes;
  if (shards < kShardsToShuffle) shards = std::min(kShardsToShuffle, worker_bytes / kSmallestGoodBytes);
  shards = std::min(shards, amount.samples / readers / kSamplesToBalance);
  return std::max<std::uint64_t>(1, shards);
}

}  // namespace

ShardAdvice advise_shards(const InputEstimate& amount, const Team& team) {
  const std::uint64_t readers = team.world_size * team.workers;
  const std::uint64_t samples = std::max<std::uint64_t>(1, amount.samples);
  ShardAdvice advice;
  advice.per_worker = samples < readers ? 0 : shards_per_worker(amount, readers);
  advice.shards = advice.per_worker * readers;
  if (advice.shards == 0)
    advice.shards = std::max<std::uint64_t>(1, samples / team.world_size * team.world_size);
  advice.shard_bytes = amount.bytes / advice.shards;
  advice.shard_samples = samples / advice.shards;
  const std::uint64_t sample_bytes = std::max<std::uint64_t>(1, amount.bytes / samples);
  advice.shuffle_buffer = std::clamp<std::uint64_t>(kMostBufferBytes / sample_bytes, 1, advice.shard_samples);
  advice.buffer_bytes = advice.shuffle_buffer * sample_bytes;
  const std::uint64_t enough =
      std::max<std::uint64_t>(1, amount.bytes / team.world_size / kSmallestGoodBytes);
  if (advice.shard_bytes < kSmallShardBytes && enough < team.workers) advice.fewer_workers = enough;
  return advice;
}

bool is_trial(const InputEstimate& amount) {
  return amount.bytes < kSmallestGoodBytes;
}

ShardChoice judge_shards(const InputEstimate& amount, std::uint64_t shards, const Team& team) {
  const std::uint64_t readers = team.world_size * team.workers;
  ShardChoice choice{.shard_bytes = amount.bytes / shards};
  choice.idle_workers = shards < readers ? readers - shards : 0;
  const std::uint64_t most = (shards + readers - 1) / readers;
  choice.idle_share = 1 - static_cast<double>(shards) / static_cast<double>(most * readers);
  choice.is_small = !is_trial(amount) && choice.shard_bytes < kSmallShardBytes &&
                    static_cast<double>(advise_shards(amount, team).shard_bytes) >=
                        kClearlyLarger * static_cast<double>(choice.shard_bytes);
  return choice;
}

}  // namespace shardmill::deal
