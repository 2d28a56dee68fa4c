// MillState: everything that a mill needs to continue after a crash, besides what its admission saves.
#pragma once

#include <cstdint>
#include <vector>

#include "base/io/binary.hpp"
#include "pipeline/intake/feed.hpp"
#include "pipeline/placing/held_store.hpp"
#include "pipeline/placing/split_keeper.hpp"
#include "pipeline/spool_set.hpp"
#include "shard/shard_tally.hpp"

namespace shardmill::pipeline {

struct MillState {
  bool all_read = false;   // the whole input has been read
  bool all_dealt = false;  // the held samples have been dealt, too
  std::vector<StreamPosition> positions;
  std::vector<SpoolState> spools;
  std::vector<shard::ShardTally> tallies;
  std::vector<HeldStore::Entry> held;        // that are not in shards yet
  std::vector<std::uint32_t> held_shards{};  // where they go; empty: they are not dealt yet
  std::uint64_t given_back = 0;              // by each shard, see give_back(); 0: nothing was
  SplitState split;                          // of a run that makes several datasets
};

void put(base::BinaryWriter& out, const MillState& state);
/// Throws Error when the bytes are not what put() wrote.
MillState read_mill_state(base::BinaryReader& in);

}  // namespace shardmill::pipeline
