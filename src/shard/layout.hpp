// layout_of: the samples of a plain tar shard and where they lie, for indexes.
#pragma once

#include "base/io/file.hpp"
#include "model/shard_layout.hpp"

namespace shardmill::shard {

/// By WebDataset's rule: neighbouring members whose base names are the same up to the first dot are a sample.
/// Reads the headers only. Throws Error for a tar that is compressed or damaged, and for a member whose name
/// the loaders take for different things: none, or one, whichever index is asked. Thread-safe.
ShardLayout layout_of(const base::File& tar);

}  // namespace shardmill::shard
