// Parts: divides a run into parts that know nothing of each other, so that the samples they hold back are
// enough to make all shards equal in the end.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

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

}  // namespace shardmill::deal
