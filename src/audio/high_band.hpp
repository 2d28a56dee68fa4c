// high_band: how much of the energy of audio is above 4 kHz, where telephone speech has none.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace shardmill::audio {

/// Below these rates there is too little above 4 kHz to measure; above them no speech is recorded.
inline constexpr std::uint32_t kLeastRateForHighBand = 16'000;
inline constexpr std::uint32_t kMostRateForHighBand = 120'000;

/// Mean squares of values, in steps of 16 bits.
struct BandEnergy {
  double high = 0;
  double low = 0;

  /// None where there is nothing to hear, or the audio is too short.
  std::optional<double> above_4khz_db() const;
  /// There is speech below 4 kHz, and above it no more than rounding leaves.
  bool is_narrow() const;
};

/// Filters the audio at places that are spread over all of it: every 8 ms at 16 kHz, or fewer when it is
/// clear early that there is energy above 4 kHz. So it costs next to nothing. `scale` brings a value to 16
/// bits. Thread-safe.
template <typename Value>
BandEnergy band_energy(std::span<const Value> values, std::uint32_t channels, std::uint32_t sample_rate,
                       float scale);

}  // namespace shardmill::audio
