// Measures decoded audio: clipping, offset, silence, its energy above 4 kHz, which telephone speech lacks,
// and a hash of its values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "audio/pcm/pcm.hpp"
#include "base/hash/hash.hpp"
#include "model/audio_info.hpp"

namespace shardmill::audio {

/// Measures clipping, offset and silence. `format` is that of AudioInfo; it gives the largest value of
/// codings that do not reach full scale. The same on every machine. Thread-safe.
AudioQuality measure_levels(const Pcm& pcm, std::string_view format);

/// Measures the energy above 4 kHz and sets it in `quality`. Thread-safe.
void measure_band(const Pcm& pcm, AudioQuality& quality);

/// Below these rates there is too little above 4 kHz to measure; above them no speech is recorded.
inline constexpr std::uint32_t kLeastRateForHighBand = 16'000;
inline constexpr std::uint32_t kMostRateForHighBand = 120'000;

/// Energies below and above 4 kHz: mean squares of values, in steps of 16 bits.
struct BandEnergy {
  double high = 0;
  double low = 0;

  /// nullopt for silence and for audio that is too short.
  std::optional<double> above_4khz_db() const;
  /// True if there is speech below 4 kHz, and no more energy above it than rounding explains.
  bool is_narrow() const;
};

/// Filters the audio at places that are spread over all of it: every 8 ms at 16 kHz, or fewer if energy above
/// 4 kHz is found early, so it takes next to no time. `scale` brings a value to 16 bits. Thread-safe.
template <typename Value>
BandEnergy band_energy(std::span<const Value> values, std::uint32_t channels, std::uint32_t sample_rate,
                       float scale);

/// A hash of the sample rate, the number of channels and every decoded value: the same for WAV, FLAC and
/// other lossless forms of the same values, even in a form with more bits than they need. nullopt if the
/// audio cannot be decoded. Thread-safe.
std::optional<base::Xxh128> sound_hash(std::span<const std::byte> audio);

/// The same for audio that is already decoded. Returns nullopt for empty audio. Thread-safe.
std::optional<base::Xxh128> sound_hash(const Pcm& pcm);

}  // namespace shardmill::audio
