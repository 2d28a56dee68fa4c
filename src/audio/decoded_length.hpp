// How many frames a decoder should give, according to the headers.
#pragma once

#include <cstdint>

#include "model/audio_info.hpp"

namespace shardmill::audio {

/// True for Vorbis, Opus and MPEG. Their decoders differ in how much padding they remove at both ends.
bool is_lossy(const AudioInfo& info);

/// True when `decoded_frames` is all that `info` promises: exactly that many frames, or about that many for
/// lossy audio. Where a file holds several streams, decoders often stop after the first.
bool is_whole(const AudioInfo& info, std::uint64_t decoded_frames);

}  // namespace shardmill::audio
