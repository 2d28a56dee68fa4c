// inspect_loaders: shards that are sound, but of a form that some loader cannot take.
#pragma once

#include "check/inspection.hpp"

namespace shardmill::check {

/// A name that NeMo's Lhotse reader does not take for a shard's.
void check_shard_name(ShardReport& shard);
/// Transcripts that stand among the audio. To be called when the shard was read.
void check_text_members(ShardReport& shard);
/// Shards that hold WAV and FLAC. To be called when the contents are added up.
void check_containers(DatasetReport& dataset);

}  // namespace shardmill::check
