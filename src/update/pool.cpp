#include "update/pool.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "deal/even.hpp"
#include "deal/rest.hpp"

namespace shardmill::update {

namespace {

using deal::HeldSample;

Duration mean_of(Duration sum, std::uint64_t count) {
  return sum / static_cast<std::int64_t>(std::max<std::uint64_t>(1, count));
}

}  // namespace

Duration tolerance(Duration mean) {
  return std::max<Duration>(deal::kEvenSpread, mean / 100'000);
}

Pools::Pools(std::span<const OldShard> old, std::span<const HeldSample> free, const Wishes& wishes)
    : old_(old),
      wishes_(wishes),
      by_dataset_(wishes.mix == Wishes::Mix::kept),
      datasets_(old.front().counts.size()),
      groups_(by_dataset_ ? datasets_ : 1),
      free_(free.begin(), free.end()),
      shortest_(groups_) {
  std::vector<std::vector<Duration>> sorted(groups_);
  for (HeldSample& sample : free_) {
    sample.dataset = group_of(sample.dataset);
    sorted[sample.dataset].push_back(sample.duration);
  }
  for (std::size_t group = 0; group < groups_; ++group) {
    std::sort(sorted[group].begin(), sorted[group].end());
    shortest_[group].push_back(Duration{});
    for (const Duration duration : sorted[group])
      shortest_[group].push_back(shortest_[group].back() + duration);
  }
  for (const OldShard& shard : old) {
    auto& counts = counts_.emplace_back(groups_, 0);
    for (std::uint32_t d = 0; d < datasets_; ++d) counts[group_of(d)] += shard.counts[d];
  }
}

bool Pools::are_free_samples_longer() const {
  double free = 0;
  for (const auto& sums : shortest_) free += static_cast<double>(sums.back().count());
  double in_shards = 0;
  double samples = 0;
  for (const OldShard& shard : old_) {
    in_shards += static_cast<double>(shard.time.count());
    samples += static_cast<double>(shard.samples());
  }
  return free * samples > in_shards * static_cast<double>(free_.size());
}

std::uint64_t Pools::most_added(std::span<const std::uint32_t> lost) const {
  const Pool pool = this->pool(std::vector(lost.begin(), lost.end()), 0);
  if (!pool.closed || pool.closed->mean <= Duration{}) return 0;
  Duration spare{};
  for (const auto& sums : shortest_) spare += sums.back();
  spare -= needed_time(pool);
  // Rounded up a little: many shards together have some room.
  const double shards = static_cast<double>(spare.count()) / static_cast<double>(pool.closed->mean.count());
  return shards <= 0 ? 0 : static_cast<std::uint64_t>(shards * (1 + 1e-5) + 1e-4);
}

Pool Pools::pool(std::vector<std::uint32_t> opened, std::uint32_t added) const {
  Pool pool{.opened = std::move(opened),
            .added = added,
            .counts = std::vector<std::uint64_t>(groups_, 0),
            .time = {}};
  Pool::Closed closed{.fewest = {}, .most = {}};
  std::uint64_t number = 0;
  Duration above{};
  auto next = pool.opened.begin();
  for (std::uint32_t shard = 0; shard < old_.size(); ++shard) {
    const Duration time = old_[shard].time;
    if (next != pool.opened.end() && *next == shard) {
      ++next;
      pool.time += time;
      for (std::size_t group = 0; group < groups_; ++group) pool.counts[group] += counts_[shard][group];
      continue;
    }
    const std::uint64_t samples = old_[shard].samples();
    if (number++ == 0) {
      closed = {.fewest = counts_[shard],
                .most = counts_[shard],
                .fewest_in_all = samples,
                .most_in_all = samples,
                .least = time,
                .longest = time};
    }
    for (std::size_t group = 0; group < groups_; ++group) {
      closed.fewest[group] = std::min(closed.fewest[group], counts_[shard][group]);
      closed.most[group] = std::max(closed.most[group], counts_[shard][group]);
    }
    closed.fewest_in_all = std::min(closed.fewest_in_all, samples);
    closed.most_in_all = std::max(closed.most_in_all, samples);
    above += time - closed.least;
    if (time < closed.least) {
      above += (closed.least - time) * static_cast<std::int64_t>(number);
      closed.least = time;
    }
    closed.longest = std::max(closed.longest, time);
  }
  if (number == 0) return pool;
  closed.mean = closed.least + mean_of(above, number);
  pool.closed = std::move(closed);
  return pool;
}

/// What the free samples that the pool takes should last together.
Duration Pools::needed_time(const Pool& pool) const {
  return pool.closed->mean * static_cast<std::int64_t>(pool.shards()) - pool.time;
}

std::optional<std::vector<std::uint64_t>> Pools::counts_for(const Pool& pool, Time time) const {
  if (!pool.closed) return std::nullopt;
  const std::uint64_t shards = pool.shards();
  std::vector<std::uint64_t> counts;
  const Duration all_free = std::accumulate(shortest_.begin(), shortest_.end(), Duration{},
                                            [](Duration sum, const auto& sums) { return sum + sums.back(); });
  for (std::size_t group = 0; group < groups_; ++group) {
    const std::uint64_t fewest = pool.closed->fewest[group];
    const std::uint64_t most = pool.closed->most[group];
    if (most > fewest + (wishes_.equal && !by_dataset_ ? 0 : 1)) return std::nullopt;
    // Shards that stay and shards of the pool together hold a number or one more.
    std::uint64_t least_in_pool = shards * (most == 0 ? 0 : most - 1);
    std::uint64_t most_in_pool = shards * (fewest + 1);
    if (wishes_.equal && !by_dataset_) least_in_pool = most_in_pool = shards * fewest;
    const std::uint64_t there = pool.counts[group];
    const std::uint64_t free = shortest_[group].size() - 1;
    const std::uint64_t from = least_in_pool > there ? least_in_pool - there : 0;
    if (there > most_in_pool || from > free) return std::nullopt;
    const std::uint64_t to = std::min(free, most_in_pool - there);
    double wanted = 0;
    if (by_dataset_) {
      wanted =
          static_cast<double>(shards) * static_cast<double>(fewest + most) / 2 - static_cast<double>(there);
    } else if (all_free > Duration{}) {
      wanted = static_cast<double>(needed_time(pool).count()) / static_cast<double>(all_free.count()) *
               static_cast<double>(free);
    }
    counts.push_back(std::clamp(static_cast<std::uint64_t>(std::llround(std::max(0.0, wanted))), from, to));
    // If all of them fit, none has to wait.
    if (!by_dataset_ && to == free && is_time_possible(pool, {free})) counts.back() = free;
  }
  if (time == Time::must_fit && !is_time_possible(pool, counts)) return std::nullopt;
  return counts;
}

bool Pools::is_time_possible(const Pool& pool, const std::vector<std::uint64_t>& counts) const {
  const Pool::Closed& closed = *pool.closed;
  const Duration allowed = std::max(tolerance(closed.mean), closed.longest - closed.least);
  const auto shards = static_cast<std::int64_t>(pool.shards());
  Duration shortest = pool.time;
  Duration longest = pool.time;
  for (std::size_t group = 0; group < groups_; ++group) {
    const auto& sums = shortest_[group];
    shortest += sums[counts[group]];
    longest += sums.back() - sums[sums.size() - 1 - counts[group]];
  }
  return shortest <= (closed.least + allowed) * shards && longest >= (closed.longest - allowed) * shards;
}

std::vector<bool> Pools::pick(const Pool& pool, const std::vector<std::uint64_t>& counts,
                              std::uint64_t& moves) const {
  const std::uint64_t all = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  if (all == free_.size()) return std::vector<bool>(free_.size(), true);
  return deal::pick(free_, counts, needed_time(pool), &moves);
}

bool Pools::fits(const Pool& pool, std::span<const HeldSample> held, std::span<const std::uint32_t> dealt,
                 Time time) const {
  if (pool.shards() == 0) return true;
  std::vector<std::uint64_t> samples(pool.shards(), 0);
  std::vector<std::vector<std::uint64_t>> counts(groups_, samples);
  std::vector<Duration> times(pool.shards());
  for (std::size_t i = 0; i < held.size(); ++i) {
    ++samples[dealt[i]];
    ++counts[group_of(held[i].dataset)][dealt[i]];
    times[dealt[i]] += held[i].duration;
  }
  const Pool::Closed& closed = *pool.closed;
  const auto is_like = [](const std::vector<std::uint64_t>& numbers, std::uint64_t fewest, std::uint64_t most,
                          std::uint64_t difference) {
    const auto [low, high] = std::minmax_element(numbers.begin(), numbers.end());
    return std::max(*high, most) - std::min(*low, fewest) <= difference;
  };
  if (!is_like(samples, closed.fewest_in_all, closed.most_in_all, wishes_.equal ? 0 : 1)) return false;
  for (std::size_t group = 0; group < groups_; ++group) {
    if (!is_like(counts[group], closed.fewest[group], closed.most[group], 1)) return false;
  }
  if (time == Time::may_differ) return true;
  const auto [low, high] = std::minmax_element(times.begin(), times.end());
  const Duration allowed = std::max(tolerance(closed.mean), closed.longest - closed.least);
  return std::max(*high, closed.longest) - std::min(*low, closed.least) <= allowed;
}

}  // namespace shardmill::update
