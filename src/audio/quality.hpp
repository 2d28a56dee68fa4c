// quality: measures clipping, offset and silence of decoded audio, and whether it reaches above 4 kHz.
#pragma once

#include <string_view>

#include "audio/pcm/pcm.hpp"
#include "model/audio_quality.hpp"

namespace shardmill::audio {

/// Clipping, offset and silence. `format`, as AudioInfo has it, tells what the largest value is where a
/// coding does not reach full scale. The same on every machine. Thread-safe.
AudioQuality measure_levels(const Pcm& pcm, std::string_view format);

/// Adds to `quality` what is above 4 kHz. Thread-safe.
void measure_band(const Pcm& pcm, AudioQuality& quality);

}  // namespace shardmill::audio
