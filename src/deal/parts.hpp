// Parts: how a run is divided among several that know nothing of each other, so that what each of them holds
// back is enough to make all shards equal in the end.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace shardmill::deal {

/// Shards [first, first + count) of all.
struct ShardRange {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

/// The shards of each part, one more in some than in others. `parts` is at most `shards`, and at least 1.
std::vector<ShardRange> divide_shards(std::uint32_t shards, std::uint32_t parts);

/// The part of each file of a dataset, by the sizes of the files in bytes: each part gets bytes in proportion
/// to its shards, as nearly as whole files allow. `given`: the bytes of other datasets that the parts have
/// got so far; grows by those of this one.
std::vector<std::uint32_t> divide_files(std::span<const std::uint64_t> file_bytes,
                                        std::span<const ShardRange> parts, std::vector<std::uint64_t>& given);

/// Which share of its samples of a dataset a part may deal to its own shards. Less than all, because files of
/// the same size do not hold the same: about 97% with a hundred files, less with fewer; and where a part has
/// more of the dataset than its shards may hold, the rest is for the shards of others.
double allowance(std::uint64_t part_bytes, std::uint64_t all_bytes, std::size_t part_files,
                 const ShardRange& part, std::uint32_t shards);

}  // namespace shardmill::deal
