// WAV: its chunks read directly, which is faster than any library and sees what is missing.
#pragma once

#include <cstddef>
#include <optional>

#include "audio/byte_view.hpp"
#include "audio/probe.hpp"

namespace shardmill::audio {

/// `audio` begins with RIFF or RF64 and WAVE. PCM, float, A-law and mu-law are measured by the header's
/// sizes; for other encodings libsndfile is asked for the number of frames.
ProbeResult probe_wav(ByteView audio);

/// Where the size of the data stands in the header, when it is 0 though data follows: a writer to a pipe did
/// not know better. `head`: the beginning of a file, which may be none of WAV.
std::optional<std::size_t> find_unset_data_size(ByteView head);

}  // namespace shardmill::audio
