// WAV: its chunks read directly, which is faster than any library and sees what is missing.
#pragma once

#include "shardmill/audio/byte_view.hpp"
#include "shardmill/audio/probe.hpp"

namespace shardmill::audio {

/// `audio` begins with RIFF or RF64 and WAVE. PCM, float, A-law and mu-law are measured by the header's
/// sizes; for other encodings libsndfile is asked for the number of frames.
ProbeResult probe_wav(ByteView audio);

}  // namespace shardmill::audio
