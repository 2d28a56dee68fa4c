// Random values of any encoding.
#pragma once

#include <cstring>
#include <random>

#include "audio/flac.hpp"
#include "audio/pcm/pcm.hpp"

namespace shardmill::audio {

inline Pcm made_pcm(PcmEncoding encoding, std::uint32_t channels, std::uint64_t frames, unsigned seed = 1) {
  Pcm pcm{.encoding = encoding, .sample_rate = 16000, .channels = channels, .data = {}};
  std::mt19937 random(seed);
  for (std::uint64_t i = 0; i < frames * channels; ++i) {
    const double value = static_cast<double>(random()) / 4294967296.0 - 0.5;
    const auto append = [&pcm](const void* bytes, std::size_t count) {
      const auto* from = static_cast<const std::byte*>(bytes);
      pcm.data.insert(pcm.data.end(), from, from + count);
    };
    const auto narrow = static_cast<float>(value);
    const auto integer = static_cast<std::uint32_t>(random());
    if (encoding == PcmEncoding::float64) {
      append(&value, 8);
    } else if (encoding == PcmEncoding::float32) {
      append(&narrow, 4);
    } else {
      append(&integer, value_bytes(encoding));
    }
  }
  return pcm;
}

inline Bytes made_flac(std::uint64_t frames, std::uint32_t channels = 1) {
  return encode_flac(made_pcm(PcmEncoding::pcm16, channels, frames));
}

}  // namespace shardmill::audio
