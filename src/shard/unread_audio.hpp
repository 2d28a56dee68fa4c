// Extensions of audio and video that shardmill does not read.
#pragma once

#include <string_view>

namespace shardmill::shard {

/// True for the extensions of video containers, rare codecs, MIDI and PCM without a header. A sample without
/// other audio may mean such a member.
bool may_hold_audio(std::string_view extension);

}  // namespace shardmill::shard
