#include "deal/rest.hpp"

#include <numeric>
#include <utility>

#include "deal/quota.hpp"
#include "deal/refine/handfuls.hpp"
#include "deal/refine/refiner.hpp"
#include "deal/refine/second_try.hpp"

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

}  // namespace

std::vector<std::uint32_t> deal_rest(std::span<const std::span<const Holding>> dealt,
                                     std::span<const HeldSample> held, bool equal) {
  std::vector<std::uint64_t> held_counts(dealt.size(), 0);
  for (const HeldSample& sample : held) ++held_counts[sample.dataset];
  Placement placement{.totals = audio_of(dealt),
                      .quotas = make_quotas(dealt, held_counts, equal),
                      .shard_of = std::vector<std::uint32_t>(held.size())};
  std::vector<std::uint32_t> all(held.size());
  std::iota(all.begin(), all.end(), 0);
  deal_in_handfuls(placement, held, all);
  refine(placement, held);
  refine_again(placement, held);
  return std::move(placement.shard_of);
}

}  // namespace shardmill::deal
