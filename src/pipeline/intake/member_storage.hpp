// Where large members of shards wait until their samples are whole: many shards are open at a time, and each
// may be in the middle of one.
#pragma once

#include <cstdint>

#include "shard/sample_grouper.hpp"

namespace shardmill::pipeline {

/// Files without names below TMPDIR or /var/tmp, for a run that may hold `memory_bytes`. Any thread may use
/// it.
shard::MemberStorage member_storage(std::uint64_t memory_bytes);

}  // namespace shardmill::pipeline
