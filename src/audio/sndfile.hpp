// What libsndfile says of audio in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "model/audio_info.hpp"

namespace shardmill::audio {

/// What libsndfile makes of the headers; nullopt when it cannot read them, or does not know the length.
/// Thread-safe.
std::optional<AudioInfo> sndfile_info(std::span<const std::byte> audio);

/// Decodes all of it and counts the frames; nullopt when it cannot be read at all. Thread-safe.
std::optional<std::uint64_t> sndfile_count_frames(std::span<const std::byte> audio);

struct DecodedAudio {
  std::uint64_t frames = 0;  // up to the damage, if there is any
  bool silent = true;        // every value is zero
  bool non_finite = false;   // some value is NaN or infinite
  std::string damage{};      // what libsndfile says of it; empty when all was decoded
};

/// Decodes all of it; nullopt when it cannot be read at all. The checksums of FLAC frames are checked, the
/// MD5 of the whole is not. Thread-safe.
std::optional<DecodedAudio> sndfile_decode(std::span<const std::byte> audio);

/// Reads `frames` of it as floats into one new array, as training loaders do, and throws them away; what it
/// is for is the time that it takes. Thread-safe.
void sndfile_read_floats(std::span<const std::byte> audio, std::uint64_t frames);

/// The version of the library that is used.
std::string libsndfile_version();

}  // namespace shardmill::audio
