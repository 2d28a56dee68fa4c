#include "deal/giving_back.hpp"

#include <algorithm>

#include "deal/least_spread.hpp"

namespace shardmill::deal {
namespace {

constexpr std::uint64_t kFewest = 16;  // of each shard, at first; then twice as many, and so on

std::vector<std::uint64_t> numbers_to_try(std::span<const PartSamples> parts) {
  std::size_t longest = 0;
  for (const PartSamples& part : parts) {
    for (const auto& samples : part.shards) longest = std::max(longest, samples.size());
  }
  std::vector<std::uint64_t> numbers;
  if (longest == 0) return numbers;
  for (std::uint64_t number = kFewest; number < longest; number *= 2) numbers.push_back(number);
  numbers.push_back(longest);
  return numbers;
}

Duration least_possible(std::span<const PartSamples> parts) {
  std::size_t shards = 0;
  std::vector<HeldSample> all;
  for (const PartSamples& part : parts) {
    shards += part.shards.size();
    all.insert(all.end(), part.held.begin(), part.held.end());
    for (const auto& samples : part.shards) all.insert(all.end(), samples.begin(), samples.end());
  }
  return least_spread(all, shards).spread;
}

}  // namespace

CutShards cut_shards(std::span<const PartSamples> parts, std::size_t datasets, std::uint64_t given) {
  CutShards cut{.dealt = std::vector<std::vector<Holding>>(datasets), .held = {}};
  for (const PartSamples& part : parts) {
    cut.held.insert(cut.held.end(), part.held.begin(), part.held.end());
    for (const std::vector<HeldSample>& samples : part.shards) {
      for (auto& shards : cut.dealt) shards.emplace_back();
      const std::size_t kept = samples.size() - std::min<std::uint64_t>(samples.size(), given);
      for (std::size_t i = 0; i < kept; ++i) {
        Holding& holding = cut.dealt[samples[i].dataset].back();
        ++holding.samples;
        holding.duration += samples[i].duration;
      }
      cut.held.insert(cut.held.end(), samples.begin() + static_cast<std::ptrdiff_t>(kept), samples.end());
    }
  }
  return cut;
}

std::uint64_t samples_to_give_back(std::span<const PartSamples> parts, std::size_t datasets,
                                   const EvenWish& wish, const RestDeal& now) {
  const std::vector<std::uint64_t> numbers = numbers_to_try(parts);
  if (numbers.empty()) return 0;
  const Duration good_enough = least_possible(parts) + kEvenSpread;
  RestDeal best = now;
  std::uint64_t best_number = 0;
  for (const Effort effort : {Effort::quick, Effort::thorough}) {
    for (const std::uint64_t number : numbers) {
      if (best.has_equal_counts && best.spread <= good_enough) return best_number;
      const CutShards cut = cut_shards(parts, datasets, number);
      RestDeal deal = deal_evenly(cut.views(), cut.held, wish, effort);
      if (!deal.is_better_than(best)) continue;
      best = std::move(deal);
      best_number = number;
    }
  }
  return best_number;
}

}  // namespace shardmill::deal
