// The type Samples of the module: an iterator over one shard.
#pragma once

#include "object.hpp"

namespace shardmill::python {

/// Samples(path, key_rule, skip_damage, threads, memory, tell): `tell` is called with the text of each loss
/// that skip_damage passes over, between the samples before and behind it.
Object samples_type();

}  // namespace shardmill::python
