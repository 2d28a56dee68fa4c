// arrangement: decides which samples go to which shards, so that a dataset keeps its balance when it changes.
// Pure arithmetic; the caller describes the shards and writes them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/error.hpp"
#include "deal/rest.hpp"

namespace shardmill::update {

using deal::Duration;

/// Stands for a shard where a sample is in none.
inline constexpr std::uint32_t kNoShard = UINT32_MAX;

/// A shard of the dataset without the samples that are removed from it.
struct OldShard {
  std::vector<std::uint64_t> counts;  // samples of each dataset
  Duration time{};
  std::uint64_t bytes = 0;  // that are written when the shard is written again
  bool has_lost = false;    // samples were removed from it, so it is written again in any case

  std::uint64_t samples() const;
};

/// What people ask of an update.
struct Wishes {
  enum class Mix {
    may_differ,  // the share of each dataset may differ from shard to shard
    kept,        // all shards hold the same number of samples of each dataset, or one more
    anew         // all samples are dealt again
  };
  Mix mix = Mix::may_differ;
  bool equal = false;             // all shards hold exactly the same number of samples
  std::uint64_t multiple_of = 1;  // the number of shards is a multiple of this
  double shard_samples = 1;       // samples in a shard before the update
  std::uint64_t free_bytes = 0;   // of the samples that are in no shard
  std::optional<double> limit{};  // what may be written again, as a multiple of free_bytes; none: as usual
};

/// How much may be written again to place samples, as a multiple of their bytes, where people do not say.
struct Limit {
  static constexpr double kUsual = 10;
  static constexpr double kMost = 20;  // where otherwise more than kManyWait of them would wait
  static constexpr double kManyWait = 0.1;
};

struct Arrangement {
  std::uint32_t shards = 0;              // of the dataset after the update
  std::vector<std::uint32_t> opened;     // old shards whose samples are dealt again, ascending
  std::vector<std::uint32_t> free_to;    // the shard of each free sample; kNoShard: it waits
  std::vector<std::uint32_t> opened_to;  // of each sample of the opened shards, shard by shard
  bool is_held_back = false;             // audio times differ, as the limit forbids to deal all shards again

  std::uint64_t waiting() const;
};

/// There are fewer samples than shards.
class TooFewSamples : public Error {
 public:
  using Error::Error;
};

/// The samples that stay in an old shard.
using SamplesOf = std::function<std::vector<deal::HeldSample>(std::uint32_t shard)>;

/// Arranges the samples of the old shards, which are all placed, and the `free` samples, which are in no
/// shard. Afterwards all shards hold the same number of samples (or one more) and the same audio time, if
/// that can be reached. Samples that were in a shard never wait, except that `equal` may need it.
///
/// As few old shards as possible are opened. If free samples would wait and dealing all shards again is
/// within the limit, all of them are; also if times would differ, and dealing all makes them equal. Throws
/// TooFewSamples.
Arrangement arrange(std::span<const OldShard> old, std::span<const deal::HeldSample> free,
                    const Wishes& wishes, const SamplesOf& samples_of);

}  // namespace shardmill::update
