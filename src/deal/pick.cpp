#include "deal/pick.hpp"

#include "deal/refine/annealer.hpp"
#include "deal/refine/refiner.hpp"

namespace shardmill::deal {

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
