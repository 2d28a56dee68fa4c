// decode_flacs: checks many FLACs by decoding them, several at a time in one thread, so that their MD5s are
// computed side by side.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "audio/sndfile.hpp"
#include "base/system/vector_path.hpp"

namespace shardmill::audio {

/// The result of decode_flac() for each of them. Only a few frames of each are in memory at a time.
/// Thread-safe.
std::vector<DecodedAudio> decode_flacs(std::span<const std::span<const std::byte>> flacs,
                                       base::VectorPath path = base::chosen_vector_path());

}  // namespace shardmill::audio
