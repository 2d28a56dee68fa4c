// Samples that were held back: deal_rest() deals them, so that counts and audio times become equal;
// make_quotas() says how many of them each shard gets; pick() chooses some of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "deal/dataset_deal.hpp"

namespace shardmill::deal {

/// The quota of one dataset.
struct Quota {
  std::vector<std::uint32_t> samples;  // by shard: how many held samples it gets
  std::vector<bool> extra;             // by shard: whether it ends up with one more than the fewest
};

/// One Quota for each dataset; `held` is the number of held samples of each. Shards are filled from the one
/// that has fewest. Which of several equally filled shards get one more is chosen so that the totals over all
/// datasets become equal, too.
/// `equal`: the totals must become equal, even where the counts of a dataset then differ by more than one.
/// The held samples must make them a multiple of the shards, and be enough.
std::vector<Quota> make_quotas(std::span<const std::span<const Holding>> dealt,
                               std::span<const std::uint64_t> held, bool equal = false);

/// A sample that was held back.
struct HeldSample {
  std::uint32_t dataset = 0;
  Duration duration{};
};

/// How much work an equal deal is worth, where one is hard to find. The work is counted, not timed, so that
/// every machine finds the same deal.
enum class Effort {
  quick,    // some tens of milliseconds: for one of many deals that are tried
  thorough  // about a second: for the deal that counts
};

/// The moves that an annealing of `samples` samples makes at most. They measure the work of searches.
std::uint64_t most_moves(std::size_t samples, Effort effort);

/// The shard for each held sample. `dealt` is what each shard already has of each dataset. Afterwards all
/// shards have the same number of samples, or one more, of every dataset and in total, as far as there are
/// enough held samples to make up for earlier differences. `equal`: in total exactly the same number, see
/// make_quotas(). Adds the moves that were made to `moves` unless that is null.
std::vector<std::uint32_t> deal_rest(std::span<const std::span<const Holding>> dealt,
                                     std::span<const HeldSample> held, bool equal = false,
                                     Effort effort = Effort::thorough, std::uint64_t* moves = nullptr);

/// Returns for each sample whether it is chosen: `counts[d]` samples of each dataset d, the first ones unless
/// an exchange with a later one brings their sum closer to `time`. There must be that many of each dataset.
/// Adds the moves that were made to `moves` unless that is null.
std::vector<bool> pick(std::span<const HeldSample> samples, std::span<const std::uint64_t> counts,
                       Duration time, std::uint64_t* moves = nullptr);

}  // namespace shardmill::deal
