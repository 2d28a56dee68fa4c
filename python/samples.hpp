// The type Samples of the module: an iterator over one shard.
#pragma once

#include "object.hpp"

namespace shardmill::python {

/// Samples(path, key_rule, skip_damage, threads, memory)
Object samples_type();

}  // namespace shardmill::python
