// The quick look: what can be told of shards without decoding them.
#pragma once

#include "base/reporter.hpp"
#include "check/inspection.hpp"
#include "pipeline/workers.hpp"

namespace shardmill::check {

/// Fills in codecs, estimated plain sizes and, where the format shows it, files that were cut short. `shards`
/// need path and contents.bytes. Several files at a time.
void look_at(DatasetReport& dataset, pipeline::Workers& workers, base::Reporter& reporter);

/// What stock loaders cannot open at all, by the codec alone.
void check_codec(ShardReport& shard);

}  // namespace shardmill::check
