// The steps that make shards equal: samples are dealt in handfuls, then exchanged (refine), and where that
// ends too early, because shards hold few samples or very unlike lengths, annealed; in the end pairs of
// shards are dealt anew.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "deal/rest.hpp"

namespace shardmill::deal {

using Nanoseconds = std::int64_t;

/// Where each held sample goes, and the totals and quotas that result.
struct Placement {
  std::vector<Duration> totals;         // audio time of each shard
  std::vector<Quota> quotas;            // of each dataset
  std::vector<std::uint32_t> shard_of;  // of each held sample
  /// By shard: whether it ends up with one sample more in total than the fewest. Empty: the totals must stay
  /// as they are.
  std::vector<bool> extra{};
};

/// The difference between the longest shard and the shortest.
Duration spread(const Placement& placement);

/// The spread at which refining ends: a millisecond, or more where all durations are multiples of more.
Duration wanted_spread(std::span<const HeldSample> held);

/// Deals `samples`, which are indices into `held`, and sets their `shard_of` and the totals. Of each dataset
/// there are as many as `placement.quotas` ask for. In each handful of samples of neighbouring durations, the
/// longest one goes to the shard with least audio.
void deal_in_handfuls(Placement& placement, std::span<const HeldSample> held,
                      std::span<const std::uint32_t> samples);

/// Changes `placement` until the audio times of all shards are within wanted_spread(), or no exchange brings
/// them closer. Counts keep the quotas: a sample is exchanged for one of the same dataset. Samples of two
/// datasets are exchanged only where one shard has the extra sample of the one dataset, and the other shard
/// that of the other. Its work is about the number of moves of anneal() that take as long: returns it, and
/// ends soon after `most_work`.
std::uint64_t refine(Placement& placement, std::span<const HeldSample> held,
                     std::uint64_t most_work = std::numeric_limits<std::uint64_t>::max());

/// Brings the audio times of the shards closer together, beyond what refine() found, until they are within
/// wanted_spread(), or as close as least_spread() allows, or the work is done. Returns at once if they are.
/// Counts change only as Placement allows. Returns the number of moves that were tried, and the work of
/// refine().
std::uint64_t anneal(Placement& placement, std::span<const HeldSample> held, Effort effort);

/// Deals the samples of two shards anew between these two, in the best way there is, as long as that brings
/// the longest or the shortest shard nearer to another one. Where lengths are few and unlike, only such a
/// change of many samples at once helps. Leaves shards alone that hold too much for it. Counts stay as they
/// are.
void deal_pairs_anew(Placement& placement, std::span<const HeldSample> held);

}  // namespace shardmill::deal
