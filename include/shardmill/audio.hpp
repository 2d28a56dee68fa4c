// decode_audio: the audio of a sample as numbers, for training loaders.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace shardmill {

struct DecodedSound {
  std::uint32_t sample_rate = 0;
  std::uint32_t channels = 0;
  std::vector<float> values{};  // frame by frame, each with one value of every channel; full scale is 1
};

/// Decodes WAV, FLAC and whatever else libsndfile reads. Throws Error, without a path, for audio that is
/// damaged, shorter than its header says, or of another kind. The MD5 of a FLAC is not compared. Thread-safe.
DecodedSound decode_audio(std::span<const std::byte> audio);

}  // namespace shardmill
