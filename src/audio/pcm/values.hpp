// PCM values as numbers to compute with, and back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "audio/pcm/pcm.hpp"

namespace shardmill::audio {

struct ValueRange {
  double lowest = 0;
  double highest = 0;
};

/// The nearest integer (of two, the even one), limited to the range; `clipped` grows by one when the limit
/// was needed. NaN becomes the lowest. `value` must not be more than 2^51 from zero, unless it is out of
/// range.
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

/// Appends values to `pcm`. Where it holds integers, they are rounded to the nearest, without dither, and
/// values beyond full scale are clipped and counted. Throws Error when a value is not a number.
void append_values(std::span<const double> values, Pcm& pcm);

/// Replaces all channels by one, their mean.
void mix_to_mono(std::vector<double>& values, std::uint32_t channels);

}  // namespace shardmill::audio
