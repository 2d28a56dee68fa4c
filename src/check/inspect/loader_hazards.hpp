// loader_hazards: finds shards that are sound, but have a form that some loader cannot read.
#pragma once

#include "check/inspection.hpp"

namespace shardmill::check {

/// Reports a name that NeMo's Lhotse reader does not accept as the name of a shard.
void check_shard_name(ShardReport& shard);
/// Reports transcripts that are members among the audio. Call it after the shard has been read.
void check_text_members(ShardReport& shard);
/// Reports shards that contain both WAV and FLAC. Call it after the contents of all shards have been added
/// up.
void check_containers(DatasetReport& dataset);

}  // namespace shardmill::check
