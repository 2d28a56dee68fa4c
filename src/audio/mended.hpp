// mended: audio with a header that tells the truth.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "model/audio_info.hpp"
#include "shardmill/sample.hpp"

namespace shardmill::audio {

/// Writes the true sizes into the header of a WAV, FLAC, AIFF or AU that came from a pipe, and whatever else
/// a WAV's header has wrong; the audio stays as it is. `info`: of usable audio, as probe() measured it.
/// nullopt when there is nothing to mend. Thread-safe.
std::optional<Bytes> mended(std::span<const std::byte> audio, const AudioInfo& info);

}  // namespace shardmill::audio
