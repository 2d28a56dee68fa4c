// The wrapper of libsndfile, reading from memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "shardmill/model/audio_info.hpp"

namespace shardmill::audio {

/// What libsndfile makes of the headers; nullopt when it cannot read them, or does not know the length.
/// Thread-safe.
std::optional<AudioInfo> sndfile_info(std::span<const std::byte> audio);

/// Decodes all of it and counts the frames; nullopt when it cannot be read at all. Thread-safe.
std::optional<std::uint64_t> sndfile_count_frames(std::span<const std::byte> audio);

}  // namespace shardmill::audio
