#include <algorithm>
#include <tuple>
#include <vector>

#include "deal/refine/refiner.hpp"

namespace shardmill::deal {
namespace {

/// Samples of neighbouring durations: one for each shard whose quota is at least `level`.
struct Handful {
  std::uint32_t dataset = 0;
  std::uint32_t level = 0;
  std::span<const std::uint32_t> samples;  // longest first
  Duration range{};                        // difference between the shortest and the longest
};

/// For each dataset, the indices of its samples, longest first.
std::vector<std::vector<std::uint32_t>> sort_by_dataset(std::span<const HeldSample> held,
                                                        std::span<const std::uint32_t> samples,
                                                        std::size_t datasets) {
  std::vector<std::vector<std::uint32_t>> sorted(datasets);
  for (const std::uint32_t sample : samples) sorted[held[sample].dataset].push_back(sample);
  for (auto& of_dataset : sorted) {
    std::sort(of_dataset.begin(), of_dataset.end(), [&](std::uint32_t a, std::uint32_t b) {
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

}  // namespace

// Coarse corrections come first and fine ones last.
void deal_in_handfuls(Placement& placement, std::span<const HeldSample> held,
                      std::span<const std::uint32_t> samples) {
  const auto sorted = sort_by_dataset(held, samples, placement.quotas.size());
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
}

}  // namespace shardmill::deal
