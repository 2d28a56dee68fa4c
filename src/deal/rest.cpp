#include "deal/rest.hpp"

#include <numeric>
#include <utility>

#include "deal/quota.hpp"
#include "deal/refine/annealer.hpp"
#include "deal/refine/handfuls.hpp"
#include "deal/refine/refiner.hpp"

namespace shardmill::deal {
namespace {

/// The audio time of each shard.
std::vector<Duration> audio_of(std::span<const std::span<const Holding>> dealt) {
  std::vector<Duration> totals(dealt.front().size());
  for (const auto& shards : dealt) {
    for (std::size_t shard = 0; shard < shards.size(); ++shard) totals[shard] += shards[shard].duration;
  }
  return totals;
}

/// By shard: whether it gets one sample more in total than the fewest. Empty if some shards get more than
/// that.
std::vector<bool> longer_shards(std::span<const std::span<const Holding>> dealt,
                                const std::vector<Quota>& quotas) {
  std::vector<std::uint64_t> counts(dealt.front().size(), 0);
  for (std::size_t shard = 0; shard < counts.size(); ++shard) {
    for (std::size_t d = 0; d < dealt.size(); ++d)
      counts[shard] += dealt[d][shard].samples + quotas[d].samples[shard];
  }
  const auto [fewest, most] = std::minmax_element(counts.begin(), counts.end());
  if (*most > *fewest + 1) return {};
  std::vector<bool> longer;
  for (const std::uint64_t count : counts) longer.push_back(count > *fewest);
  return longer;
}

}  // namespace

std::vector<std::uint32_t> deal_rest(std::span<const std::span<const Holding>> dealt,
                                     std::span<const HeldSample> held, bool equal, Effort effort) {
  std::vector<std::uint64_t> held_counts(dealt.size(), 0);
  for (const HeldSample& sample : held) ++held_counts[sample.dataset];
  Placement placement{.totals = audio_of(dealt),
                      .quotas = make_quotas(dealt, held_counts, equal),
                      .shard_of = std::vector<std::uint32_t>(held.size())};
  if (!equal) placement.extra = longer_shards(dealt, placement.quotas);
  std::vector<std::uint32_t> all(held.size());
  std::iota(all.begin(), all.end(), 0);
  deal_in_handfuls(placement, held, all);
  refine(placement, held);
  anneal(placement, held, effort);
  return std::move(placement.shard_of);
}

}  // namespace shardmill::deal
