// AIFF and AIFF-C: finds the true size of the audio; libsndfile measures its length.
#pragma once

#include <optional>

#include "audio/byte_view.hpp"
#include "audio/probe.hpp"
#include "model/audio_info.hpp"
#include "shardmill/sample.hpp"

namespace shardmill::audio {

/// `audio` must start with FORM and AIFF or AIFC.
ProbeResult probe_aiff(ByteView audio);

/// The same audio with the true sizes of the file and of its audio, and the true number of frames. `info`: of
/// usable audio, as probe_aiff() measured it. nullopt when the header tells the truth.
std::optional<Bytes> mended_aiff(ByteView audio, const AudioInfo& info);

}  // namespace shardmill::audio
