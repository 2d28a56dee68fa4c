// Pcm: decoded audio, exactly as precise as the audio it comes from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "model/sample.hpp"

namespace shardmill::audio {

/// Values as the data chunk of a WAV holds them: little-endian; signed, except pcm8, where 128 is silence.
enum class PcmEncoding { pcm8, pcm16, pcm24, pcm32, float32, float64 };

/// "pcm16" and so on, as it stands after the slash in AudioInfo::format.
std::string_view name(PcmEncoding encoding);
std::size_t value_bytes(PcmEncoding encoding);
bool is_float(PcmEncoding encoding);

struct Pcm {
  PcmEncoding encoding = PcmEncoding::pcm16;
  std::uint32_t sample_rate = 0;
  std::uint32_t channels = 0;
  Bytes data;                 // the values, channels interleaved
  std::uint64_t clipped = 0;  // values beyond full scale, which became the largest possible

  std::size_t frame_bytes() const { return value_bytes(encoding) * channels; }
  std::uint64_t frames() const { return data.size() / frame_bytes(); }
};

}  // namespace shardmill::audio
