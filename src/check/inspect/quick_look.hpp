// The quick look at shards, without decoding them; and shards that are sound, but have a form that some
// loader cannot read.
#pragma once

#include "base/reporter.hpp"
#include "check/inspection.hpp"
#include "pipeline/workers.hpp"

namespace shardmill::check {

/// Reports a name that NeMo's Lhotse reader does not accept as the name of a shard.
void check_shard_name(ShardReport& shard);
/// Reports transcripts that are members among the audio. Call it after the shard has been read.
void check_text_members(ShardReport& shard);
/// Reports shards that contain both WAV and FLAC. Call it after the contents of all shards have been added
/// up.
void check_containers(DatasetReport& dataset);

/// Fills in codecs, estimated plain sizes and, where the format shows it, which files were cut short.
/// `shards` must have path and contents.bytes. Looks at several files at a time.
void look_at(DatasetReport& dataset, pipeline::Workers& workers, base::Reporter& reporter);

/// Reports which common loaders cannot open the shard at all, because of its codec.
void check_codec(ShardReport& shard);

}  // namespace shardmill::check
