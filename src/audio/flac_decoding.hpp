// FLAC decoded for proof: by libFLAC itself, which compares all of it with the MD5 in the header.
#pragma once

#include <cstddef>
#include <span>

#include "audio/sndfile.hpp"

namespace shardmill::audio {

/// `flac` begins with fLaC, or a tag in front of it. A wrong MD5, a frame that cannot be decoded, and a
/// further stream after the first are damage. Thread-safe.
DecodedAudio decode_flac(std::span<const std::byte> flac);

}  // namespace shardmill::audio
