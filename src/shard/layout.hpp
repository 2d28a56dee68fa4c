// layout_of: finds the samples of a plain tar shard and their places, for indexes.
#pragma once

#include "base/io/file.hpp"
#include "model/shard_layout.hpp"

namespace shardmill::shard {

/// Follows WebDataset's rule: neighbouring members whose base names are equal up to the first dot are a
/// sample. Reads only the headers. Throws Error for a tar that is compressed or damaged. Also throws, for
/// every kind of index, when loaders do not agree about a member's name: whether it has a key, and which.
/// Thread-safe.
ShardLayout layout_of(const base::File& tar);

}  // namespace shardmill::shard
