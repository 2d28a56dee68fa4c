// AudioQuality: what the values of a piece of audio tell about how it was recorded.
#pragma once

#include <optional>

namespace shardmill {

/// Shares are from 0 to 1, in steps of a millionth.
struct AudioQuality {
  double clipped = 0;          // share of the values that are at full scale
  double dc_offset = 0;        // mean of the values, full scale being 1; of the channel where it is largest
  double digital_silence = 0;  // share of the time in which, for 10 ms, no value differs from the one before
  bool all_zero = false;       // nothing but zeros
  /// Energy above 4 kHz in proportion to that below, in dB. None at rates below 16 kHz, and where there is
  /// nothing to hear.
  std::optional<double> above_4khz_db{};
  bool narrow_band = false;  // nothing above 4 kHz: telephone speech that was resampled

  bool operator==(const AudioQuality&) const = default;
};

}  // namespace shardmill
