// FLAC written: by libFLAC itself, which is told beforehand how much comes and writes to memory.
#pragma once

#include <string>

#include "audio/pcm.hpp"

namespace shardmill::audio {

/// As `flac -5` compresses, without its padding and seek table, with the MD5 of the values. Throws Error,
/// without a place, for what a FLAC cannot hold: floats, 32 bits, more than 8 channels, rates above 1048575
/// Hz. Thread-safe.
Bytes encode_flac(const Pcm& pcm);

/// The version of the library that is used.
std::string libflac_version();

}  // namespace shardmill::audio
