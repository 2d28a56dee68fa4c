// How many frames a decoder should give, by what the headers promise.
#pragma once

#include <cstdint>

#include "model/audio_info.hpp"

namespace shardmill::audio {

/// Vorbis, Opus and MPEG: decoders differ by the padding that they take away at the ends.
bool is_lossy(const AudioInfo& info);

/// True when so many decoded frames are all of what `info` promises: exactly so many, of lossy audio about so
/// many. Where a file holds several streams, decoders often stop after the first.
bool is_whole(const AudioInfo& info, std::uint64_t decoded_frames);

}  // namespace shardmill::audio
