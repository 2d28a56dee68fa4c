// Questions to libsndfile about audio in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "model/audio_info.hpp"

namespace shardmill::audio {

/// What libsndfile reads in the headers; nullopt when it cannot read them or does not know the length.
/// Thread-safe.
std::optional<AudioInfo> sndfile_info(std::span<const std::byte> audio);

/// Decodes all of it and counts the frames; nullopt when it cannot be read at all. Thread-safe.
std::optional<std::uint64_t> sndfile_count_frames(std::span<const std::byte> audio);

struct DecodedAudio {
  std::uint64_t frames = 0;  // up to the damage, if there is any
  bool silent = true;        // every value is zero
  bool non_finite = false;   // some value is NaN or infinite
  std::string damage{};      // what libsndfile says about the damage; empty when everything was decoded
};

/// Decodes all of it; nullopt when it cannot be read at all. Checks the checksums of FLAC frames, but not the
/// MD5 of the whole. Thread-safe.
std::optional<DecodedAudio> sndfile_decode(std::span<const std::byte> audio);

/// Reads `frames` frames as floats into one new array, as training loaders do, and throws them away. It
/// exists to be timed. Thread-safe.
void sndfile_read_floats(std::span<const std::byte> audio, std::uint64_t frames);

/// Version 1.1 and later do, unless they were built without it.
bool sndfile_reads_mpeg();

/// The version of libsndfile.
std::string libsndfile_version();

}  // namespace shardmill::audio
