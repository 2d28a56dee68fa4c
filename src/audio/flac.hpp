// FLAC: finds out whether all of a file is there, decodes and checks files, and writes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "audio/byte_view.hpp"
#include "audio/pcm/pcm.hpp"
#include "audio/probe.hpp"
#include "audio/sndfile.hpp"
#include "base/system/vector_path.hpp"

namespace shardmill::audio {

/// Measures `audio`, which must start with fLaC, by its STREAMINFO and its frames. All frames must have a
/// right CRC and follow each other. The last frame must end with the bytes and have a number that agrees with
/// the total. If there is no such frame, everything is decoded.
ProbeResult probe_flac(ByteView audio);

/// The damage that probe_flac() finds; empty for a good file.
std::string flac_damage(ByteView audio);

/// The audio without the tag of 128 bytes that may follow the last frame.
ByteView without_id3v1(ByteView audio);

/// True for a FLAC without a tag in front and with its number of frames, which writers to a pipe leave out.
bool is_plain_flac(ByteView audio);

/// Decodes a FLAC with libFLAC, which compares its values with the MD5 in its header. `flac` starts with fLaC
/// or with a tag before it. A wrong MD5, a frame that cannot be decoded, and a second stream after the first
/// are damage. Thread-safe.
DecodedAudio decode_flac(std::span<const std::byte> flac);

/// Appends the values of a FLAC to `pcm`, in the encoding of `pcm`. Returns nullopt if the FLAC is damaged,
/// has another number of frames, or values of another kind. Thread-safe.
std::optional<Pcm> decode_sound_flac(std::span<const std::byte> flac, std::uint64_t frames, Pcm pcm);

/// Returns the result of decode_flac() for each FLAC. Decodes several at a time in one thread, so that their
/// MD5s are computed side by side; only a few frames of each are in memory at a time. Thread-safe.
std::vector<DecodedAudio> decode_flacs(std::span<const std::span<const std::byte>> flacs,
                                       base::VectorPath path = base::chosen_vector_path());

/// Compresses like `flac -5`, but without padding and seek table; with the MD5 of the values. Throws Error,
/// which names no file, for values that a FLAC cannot hold: floats, 32 bits, more than 8 channels, rates
/// above 1048575 Hz. Thread-safe.
Bytes encode_flac(const Pcm& pcm);

/// The version of libFLAC.
std::string libflac_version();

}  // namespace shardmill::audio
