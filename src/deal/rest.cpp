#include "deal/rest.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "deal/quota.hpp"
#include "deal/refiner.hpp"
#include "deal/second_try.hpp"

namespace shardmill::deal {
namespace {

/// Held samples of neighbouring durations: one for each shard whose quota is at least `level`.
struct Handful {
  std::uint32_t dataset = 0;
  std::uint32_t level = 0;
  std::span<const std::uint32_t> samples;  // longest first
  Duration range{};                        // difference between the shortest and the longest
};

/// For each dataset, the indices of its held samples, longest first.
std::vector<std::vector<std::uint32_t>> sort_by_dataset(std::span<const HeldSample> held,
                                                        std::size_t datasets) {
  std::vector<std::vector<std::uint32_t>> sorted(datasets);
  for (std::uint32_t i = 0; i < held.size(); ++i) sorted[held[i].dataset].push_back(i);
  for (auto& samples : sorted) {
    std::sort(samples.begin(), samples.end(), [&](std::uint32_t a, std::uint32_t b) {
      return std::tuple(-held[a].duration, a) < std::tuple(-held[b].duration, b);
    });
  }
  return sorted;
}

std::vector<Handful> make_handfuls(std::span<const HeldSample> held,
                                   const std::vector<std::vector<std::uint32_t>>& sorted,
                                   const std::vector<Quota>& quotas) {
  std::vector<Handful> handfuls;
  for (std::uint32_t dataset = 0; dataset < quotas.size(); ++dataset) {
    const std::vector<std::uint32_t>& quota = quotas[dataset].samples;
    std::span<const std::uint32_t> rest = sorted[dataset];
    for (std::uint32_t level = *std::max_element(quota.begin(), quota.end()); level > 0; --level) {
      const auto takers = static_cast<std::size_t>(
          std::count_if(quota.begin(), quota.end(), [&](std::uint32_t samples) { return samples >= level; }));
      const auto samples = rest.first(takers);
      rest = rest.subspan(takers);
      handfuls.push_back(
          {dataset, level, samples, held[samples.front()].duration - held[samples.back()].duration});
    }
  }
  std::stable_sort(handfuls.begin(), handfuls.end(),
                   [](const Handful& a, const Handful& b) { return a.range > b.range; });
  return handfuls;
}

/// The audio time of each shard.
std::vector<Duration> audio_of(std::span<const std::span<const Holding>> dealt) {
  std::vector<Duration> totals(dealt.front().size());
  for (const auto& shards : dealt) {
    for (std::size_t shard = 0; shard < shards.size(); ++shard) totals[shard] += shards[shard].duration;
  }
  return totals;
}

}  // namespace

std::vector<std::uint32_t> deal_rest(std::span<const std::span<const Holding>> dealt,
                                     std::span<const HeldSample> held) {
  const auto sorted = sort_by_dataset(held, dealt.size());
  std::vector<std::uint64_t> held_counts;
  for (const auto& samples : sorted) held_counts.push_back(samples.size());
  Placement placement{.totals = audio_of(dealt),
                      .quotas = make_quotas(dealt, held_counts),
                      .shard_of = std::vector<std::uint32_t>(held.size())};

  // Coarse corrections come first and fine ones last. In each handful, the longest sample goes to the shard
  // with least audio.
  std::vector<std::uint32_t> takers;
  for (const Handful& handful : make_handfuls(held, sorted, placement.quotas)) {
    const auto& quota = placement.quotas[handful.dataset].samples;
    takers.clear();
    for (std::uint32_t shard = 0; shard < quota.size(); ++shard) {
      if (quota[shard] >= handful.level) takers.push_back(shard);
    }
    std::sort(takers.begin(), takers.end(), [&](std::uint32_t a, std::uint32_t b) {
      return std::tuple(placement.totals[a], a) < std::tuple(placement.totals[b], b);
    });
    for (std::size_t i = 0; i < takers.size(); ++i) {
      placement.shard_of[handful.samples[i]] = takers[i];
      placement.totals[takers[i]] += held[handful.samples[i]].duration;
    }
  }
  refine(placement, held);
  refine_again(placement, held);
  return std::move(placement.shard_of);
}

}  // namespace shardmill::deal
