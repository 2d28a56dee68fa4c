// encode_wav: writes one plain header, then the values.
#pragma once

#include <cstddef>
#include <span>

#include "audio/pcm/pcm.hpp"
#include "model/audio_info.hpp"

namespace shardmill::audio {

/// A RIFF with only the format (and, for floats, the number of frames) and the data: 44 or 58 bytes of header
/// with true sizes, and a byte of padding after odd data. Throws Error when the audio is too large for a WAV.
/// Thread-safe.
Bytes encode_wav(const Pcm& pcm);

/// True when `audio`, which `info` describes, is exactly what encode_wav() would make of its values.
/// Thread-safe.
bool is_plain_wav(std::span<const std::byte> audio, const AudioInfo& info);

}  // namespace shardmill::audio
