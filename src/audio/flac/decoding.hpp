// decode_flac: checks a FLAC with libFLAC, which compares all of it with the MD5 in its header.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "audio/pcm/pcm.hpp"
#include "audio/sndfile.hpp"

namespace shardmill::audio {

/// `flac` begins with fLaC or with a tag before it. A wrong MD5, a frame that cannot be decoded, and a second
/// stream after the first are damage. Thread-safe.
DecodedAudio decode_flac(std::span<const std::byte> flac);

/// Appends the values of a FLAC to `pcm`, which says how they must be encoded. nullopt when the FLAC is
/// damaged, has another number of frames, or values of another kind. Thread-safe.
std::optional<Pcm> decode_sound_flac(std::span<const std::byte> flac, std::uint64_t frames, Pcm pcm);

}  // namespace shardmill::audio
