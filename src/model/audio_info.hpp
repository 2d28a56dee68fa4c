// AudioInfo: facts about audio from its headers. AudioQuality: facts from its decoded values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace shardmill {

struct AudioInfo {
  std::string format;  // container/encoding: "wav/pcm16", "flac/pcm24", "ogg/vorbis", "mp3"
  std::uint32_t sample_rate = 0;
  std::uint32_t channels = 0;
  std::uint64_t frames = 0;  // samples per channel

  double seconds() const { return static_cast<double>(frames) / sample_rate; }
};

/// How well audio was recorded. Shares are from 0 to 1, in steps of a millionth.
struct AudioQuality {
  double clipped = 0;          // share of the values that are at full scale
  double dc_offset = 0;        // largest mean of the values of a channel; full scale is 1
  double digital_silence = 0;  // share of the time in which, for 10 ms, no value differs from the one before
  bool all_zero = false;       // nothing but zeros
  /// Energy above 4 kHz in proportion to the energy below, in dB. nullopt at rates below 16 kHz, and for
  /// silence.
  std::optional<double> above_4khz_db{};
  bool narrow_band = false;  // nothing above 4 kHz: telephone speech that was resampled

  bool operator==(const AudioQuality&) const = default;
};

}  // namespace shardmill
