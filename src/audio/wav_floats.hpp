// wav_floats: the values of a plain WAV as floats, without a library, as training loaders want them.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "audio/sndfile.hpp"

namespace shardmill::audio {

/// The same values as sndfile_floats(), in much less time. Only for whole WAVs of 16-bit PCM with nothing
/// behind their data chunk; returns nullopt for all others.
std::optional<FloatAudio> wav_floats(std::span<const std::byte> audio);

}  // namespace shardmill::audio
