// WAV: reads the chunks directly. This is faster than any library, and sees which bytes are missing. A
// header that contradicts its audio is mended.
#pragma once

#include <cstddef>
#include <optional>

#include "audio/byte_view.hpp"
#include "audio/probe.hpp"
#include "model/audio_info.hpp"
#include "shardmill/sample.hpp"

namespace shardmill::audio {

/// `audio` must start with RIFF or RF64 and WAVE. Measures PCM, float, A-law and mu-law by the sizes in the
/// header; for other encodings, libsndfile counts the frames. Where the RIFF covers much more than its data
/// chunk, and no chunk follows that, the rest is audio, too.
ProbeResult probe_wav(ByteView audio);

/// The same audio with the true sizes in its header. `info`: of usable audio, as probe_wav() measured it.
/// nullopt when the header tells the truth, or the audio is too large for a WAV.
std::optional<Bytes> mended_wav(ByteView audio, const AudioInfo& info);

/// Where the header has the size of the data, if that size is 0 although data follows: a writer to a pipe
/// could not know it. `head` is the beginning of a file, which need not be a WAV.
std::optional<std::size_t> find_unset_data_size(ByteView head);

}  // namespace shardmill::audio
