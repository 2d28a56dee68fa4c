// The quick look: what can be said about shards without decoding them.
#pragma once

#include "base/reporter.hpp"
#include "check/inspection.hpp"
#include "pipeline/workers.hpp"

namespace shardmill::check {

/// Fills in codecs, estimated plain sizes and, where the format shows it, which files were cut short.
/// `shards` must have path and contents.bytes. Looks at several files at a time.
void look_at(DatasetReport& dataset, pipeline::Workers& workers, base::Reporter& reporter);

/// Reports which common loaders cannot open the shard at all, because of its codec.
void check_codec(ShardReport& shard);

}  // namespace shardmill::check
