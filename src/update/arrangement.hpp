// arrangement: decides which samples go to which shards, so that a dataset keeps its balance when it changes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "deal/fill_shards.hpp"

namespace shardmill::update {

using deal::Duration;

/// What a shard held before the update.
struct OldShard {
  std::vector<std::uint32_t> counts;  // samples of each dataset
  Duration time{};
};

struct Arrangement {
  std::uint32_t shards = 0;             // that the dataset has then
  std::vector<std::uint32_t> shard_of;  // of each sample; deal::kNoShard: it waits
};

/// A sample that may go elsewhere.
struct Movable {
  deal::HeldSample sample;
  std::uint32_t shard = deal::kNoShard;  // that it was in
};

/// What new shards must be like beside shards that stay as they are.
struct Likeness {
  std::vector<std::uint32_t> counts;  // samples of each dataset
  Duration least{};                   // audio time
  Duration most{};
};
Likeness likeness(std::span<const OldShard> old);

/// Of the old shards, the first `left` stay. Those of them that are `open` lost samples and are filled again;
/// what they still have is among `samples`. All others that stay are not touched. Whatever is left makes new
/// shards that are like the old ones, or waits. nullopt when an open shard cannot be filled: then fewer old
/// shards must stay, so that there are more samples to fill with.
std::optional<Arrangement> arrange(std::span<const OldShard> old, std::uint32_t left,
                                   std::span<const std::uint32_t> open, std::span<const Movable> samples);

/// What becomes of samples that are too few for all shards to get one more.
enum class Equal {
  nearly,  // some shards hold one more than others
  exactly  // they wait
};

/// Deals the samples that wait over all shards as well. `samples` are all samples of the dataset.
Arrangement spread(const Arrangement& arrangement, std::span<const Movable> samples, std::size_t datasets,
                   Equal equal = Equal::nearly);

/// Deals all samples anew, to shards of about `per_shard` samples.
Arrangement remix(std::span<const Movable> samples, std::size_t datasets, std::uint64_t per_shard,
                  Equal equal = Equal::nearly);

}  // namespace shardmill::update
