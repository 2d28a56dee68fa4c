#include "deal/rest.hpp"

#include <numeric>
#include <utility>

#include "deal/quota.hpp"
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

std::vector<bool> pick(std::span<const HeldSample> samples, std::span<const std::uint64_t> counts,
                       Duration time) {
  // The chosen samples and the others are two shards. Their totals are measured from the wanted time, so they
  // are equal just when the choice is right.
  constexpr std::uint32_t kChosen = 0;
  constexpr std::uint32_t kLeft = 1;
  Placement placement{.totals = {-time, time}, .quotas = {}, .shard_of = {}};
  for (const std::uint64_t count : counts) {
    const auto number = static_cast<std::uint32_t>(count);
    placement.quotas.push_back({.samples = {number, 0}, .extra = {false, false}});
  }
  std::vector<std::uint64_t> missing(counts.begin(), counts.end());
  for (const HeldSample& sample : samples) {
    const bool is_chosen = missing[sample.dataset] > 0;
    placement.shard_of.push_back(is_chosen ? kChosen : kLeft);
    if (!is_chosen) continue;
    --missing[sample.dataset];
    placement.totals[kChosen] += sample.duration;
    placement.totals[kLeft] -= sample.duration;
  }
  refine(placement, samples);
  anneal(placement, samples, Effort::quick);
  std::vector<bool> chosen;
  for (const std::uint32_t shard : placement.shard_of) chosen.push_back(shard == kChosen);
  return chosen;
}

}  // namespace shardmill::deal
