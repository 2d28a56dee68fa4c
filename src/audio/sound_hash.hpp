// sound_hash: tells whether two pieces of audio are the same sound, whatever container or codec they are in.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "audio/pcm/pcm.hpp"
#include "base/hash/hash.hpp"

namespace shardmill::audio {

/// A hash of the sample rate, the number of channels and every decoded value: the same for WAV, FLAC and
/// other lossless forms of the same values, also where one has more bits than they need. nullopt when it
/// cannot be decoded. Thread-safe.
std::optional<base::Xxh128> sound_hash(std::span<const std::byte> audio);

/// The same of audio that is decoded; nullopt when there is none. Thread-safe.
std::optional<base::Xxh128> sound_hash(const Pcm& pcm);

}  // namespace shardmill::audio
