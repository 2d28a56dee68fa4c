// sound_hash: a hash of decoded audio that is the same in every container and lossless codec.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "audio/pcm/pcm.hpp"
#include "base/hash/hash.hpp"

namespace shardmill::audio {

/// A hash of the sample rate, the number of channels and every decoded value: the same for WAV, FLAC and
/// other lossless forms of the same values, even in a form with more bits than they need. nullopt if the
/// audio cannot be decoded. Thread-safe.
std::optional<base::Xxh128> sound_hash(std::span<const std::byte> audio);

/// The same for audio that is already decoded. Returns nullopt for empty audio. Thread-safe.
std::optional<base::Xxh128> sound_hash(const Pcm& pcm);

}  // namespace shardmill::audio
