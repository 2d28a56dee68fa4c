// FLAC decoded for proof: by libFLAC itself, which compares all of it with the MD5 in the header.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "audio/pcm.hpp"
#include "audio/sndfile.hpp"

namespace shardmill::audio {

/// `flac` begins with fLaC, or a tag in front of it. A wrong MD5, a frame that cannot be decoded, and a
/// further stream after the first are damage. Thread-safe.
DecodedAudio decode_flac(std::span<const std::byte> flac);

/// The values of a FLAC without any damage, behind those of `pcm`, which says what they are to be; nullopt
/// where there is damage, another number of frames, or other values. Thread-safe.
std::optional<Pcm> decode_sound_flac(std::span<const std::byte> flac, std::uint64_t frames, Pcm pcm);

}  // namespace shardmill::audio
