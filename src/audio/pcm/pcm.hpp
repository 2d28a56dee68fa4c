// Pcm: decoded audio, exactly as precise as the encoded audio; and its values as numbers to compute with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "shardmill/sample.hpp"

namespace shardmill::audio {

/// Values in the form of the data chunk of a WAV: little-endian; signed, except pcm8, whose silence is 128.
enum class PcmEncoding { pcm8, pcm16, pcm24, pcm32, float32, float64 };

/// "pcm16" and so on, the part after the slash in AudioInfo::format.
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

struct ValueRange {
  double lowest = 0;
  double highest = 0;
};

/// The nearest integer (of two, the even one), limited to the range; `clipped` grows by one if the limit was
/// needed. NaN becomes the lowest. `value` must not be more than 2^51 from zero, unless it is out of range.
inline double round_into(double value, ValueRange range, std::uint64_t& clipped) {
  // Adding this leaves no bits below one. It is much faster than a call, and the same on every machine.
  constexpr double kRounder = 3.0 * (std::uint64_t{1} << 51);
  const bool inside = value >= range.lowest - 0.5 && value < range.highest + 0.5;
  if (!inside) {
    ++clipped;
    return value > range.highest ? range.highest : range.lowest;
  }
  return (value + kRounder) - kRounder;
}

/// Reads all of `data`, which holds values of `encoding`. Full scale is 1, for integers and for floats.
/// Replaces the contents of `values`.
void read_values(std::span<const std::byte> data, PcmEncoding encoding, std::vector<double>& values);

/// Appends values to `pcm`. If it holds integers, they are rounded to the nearest, without dither, and values
/// beyond full scale are clipped and counted. Throws Error if a value is not a number.
void append_values(std::span<const double> values, Pcm& pcm);

/// Replaces all channels by one, their mean.
void mix_to_mono(std::vector<double>& values, std::uint32_t channels);
/// Keeps only one channel of several, from 0.
void take_channel(std::vector<double>& values, std::uint32_t channels, std::uint32_t channel);

}  // namespace shardmill::audio
