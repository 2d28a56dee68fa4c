// Asks libsndfile about audio in memory: its headers, its frames, and the speed of decoding it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/audio_info.hpp"
#include "shardmill/sample.hpp"

namespace shardmill::audio {

/// Reads the headers; nullopt if libsndfile cannot read them or does not know the length. Thread-safe.
std::optional<AudioInfo> sndfile_info(std::span<const std::byte> audio);

/// Decodes all of `audio` and counts the frames; nullopt if it cannot be read at all. Thread-safe.
std::optional<std::uint64_t> sndfile_count_frames(std::span<const std::byte> audio);

struct DecodedAudio {
  std::uint64_t frames = 0;  // up to the damage, if there is any
  bool silent = true;        // every value is zero
  bool non_finite = false;   // some value is NaN or infinite
  std::string damage{};      // in libsndfile's words; empty if everything was decoded
};

/// Decodes all of `audio`; nullopt if it cannot be read at all. Checks the checksums of FLAC frames, but not
/// the MD5 of the whole. Thread-safe.
std::optional<DecodedAudio> sndfile_decode(std::span<const std::byte> audio);

struct FloatAudio {
  std::uint32_t sample_rate = 0;
  std::uint32_t channels = 0;
  std::vector<float> values{};  // frame by frame
  std::string damage{};         // empty if all frames were decoded
};

/// Decodes all of `audio` to floats, where full scale is 1; nullopt if it cannot be read at all. Checks what
/// sndfile_decode() checks. Thread-safe.
std::optional<FloatAudio> sndfile_floats(std::span<const std::byte> audio);

/// Reads `frames` frames as floats into one new array, as training loaders do, and drops them. For measuring
/// its time. Thread-safe.
void sndfile_read_floats(std::span<const std::byte> audio, std::uint64_t frames);

/// True for version 1.1 and later, unless they were built without MPEG.
bool sndfile_reads_mpeg();

/// The version of libsndfile.
std::string libsndfile_version();

/// The speed of decoding to floats, as training loaders do it: seconds of audio per second of CPU time, over
/// all of `audio`; 0 if none of it can be decoded.
double decoding_speed(std::span<const Bytes> audio);

}  // namespace shardmill::audio
