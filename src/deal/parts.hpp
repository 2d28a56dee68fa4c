// Parts: divides a run into parts that know nothing of each other, so that the samples they hold back are
// enough to make all shards equal in the end; and how many samples the shards must give back where the held
// ones are too few or too much alike for that.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "deal/even.hpp"

namespace shardmill::deal {

/// Shards [first, first + count).
struct ShardRange {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

/// The shards of each part; some parts may get one more than others. `parts` is at least 1 and at most
/// `shards`.
std::vector<ShardRange> divide_shards(std::uint32_t shards, std::uint32_t parts);

/// The part of each file of a dataset, chosen by the sizes of the files in bytes: each part gets bytes in
/// proportion to its shards, as nearly as whole files allow. `given` is the number of bytes of other datasets
/// that each part has got so far; this function adds those of this dataset.
std::vector<std::uint32_t> divide_files(std::span<const std::uint64_t> file_bytes,
                                        std::span<const ShardRange> parts, std::vector<std::uint64_t>& given);

/// The share of its samples of a dataset that a part may deal to its own shards. It is less than all (about
/// 97% with a hundred files, less with fewer), because files of the same size do not hold the same. When a
/// part has more of the dataset than its shards may hold, the rest is for the shards of others.
double allowance(std::uint64_t part_bytes, std::uint64_t all_bytes, std::size_t part_files,
                 const ShardRange& part, std::uint32_t shards);

/// What one part of a run has dealt and held. A run that is not in parts is one part.
struct PartSamples {
  std::vector<std::vector<HeldSample>> shards;  // the samples of each shard, in the order of the deal
  std::vector<HeldSample> held;
};

/// The shards of all parts without their last `given` samples, and all samples that are to be dealt then: for
/// each part those that it held, and after them those of each of its shards.
struct CutShards {
  std::vector<std::vector<Holding>> dealt;  // of each dataset, by shard
  std::vector<HeldSample> held;

  std::vector<std::span<const Holding>> views() const { return {dealt.begin(), dealt.end()}; }
};
CutShards cut_shards(std::span<const PartSamples> parts, std::size_t datasets, std::uint64_t given);

/// Returns how many of its last samples each shard should give back, so that a deal of these and the held
/// ones makes the shards even; if no number does that, the one that makes them most equal. `now` is the deal
/// of the held samples alone. Returns 0 if no number makes it better, or lengths and counts rule out that any
/// could.
std::uint64_t samples_to_give_back(std::span<const PartSamples> parts, std::size_t datasets,
                                   const EvenWish& wish, const RestDeal& now);

}  // namespace shardmill::deal
