// encode_flac: writes a FLAC to memory with libFLAC.
#pragma once

#include <string>

#include "audio/pcm/pcm.hpp"

namespace shardmill::audio {

/// Compresses like `flac -5`, but without padding and seek table; with the MD5 of the values. Throws Error,
/// which names no file, for what a FLAC cannot hold: floats, 32 bits, more than 8 channels, rates above
/// 1048575 Hz. Thread-safe.
Bytes encode_flac(const Pcm& pcm);

/// The version of the library that is used.
std::string libflac_version();

}  // namespace shardmill::audio
