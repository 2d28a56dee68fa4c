// mended: writes audio again with a header that is true.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "model/audio_info.hpp"
#include "shardmill/sample.hpp"

namespace shardmill::audio {

/// Writes the true sizes into the header of a WAV, FLAC, AIFF or AU that came from a pipe or gives less audio
/// than there is, and whatever else a WAV's header has wrong; cuts off the bytes after the last page of an
/// Ogg, because they hide its length. The audio stays as it is. `info`: of usable audio, as probe() measured
/// it. nullopt when there is nothing to mend. Thread-safe.
std::optional<Bytes> mended(std::span<const std::byte> audio, const AudioInfo& info);

}  // namespace shardmill::audio
