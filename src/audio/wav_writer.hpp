// WAV written: one plain header, then the values.
#pragma once

#include <cstddef>
#include <span>

#include "audio/pcm.hpp"
#include "model/audio_info.hpp"

namespace shardmill::audio {

/// RIFF with nothing but its format, for floats the number of frames too (44 and 58 bytes in all), and the
/// data; true sizes, and a byte of padding where the data is odd. Throws Error where a WAV cannot be so
/// large. Thread-safe.
Bytes encode_wav(const Pcm& pcm);

/// `audio`, which is what `info` says, is exactly what encode_wav() would make of its values. Thread-safe.
bool is_plain_wav(std::span<const std::byte> audio, const AudioInfo& info);

}  // namespace shardmill::audio
