// PCM as numbers to compute with, and back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "audio/pcm.hpp"

namespace shardmill::audio {

struct ValueRange {
  double lowest = 0;
  double highest = 0;
};

/// The nearest integer, of two the even one, kept within the range; `clipped` grows by one when that was
/// needed. What is no number becomes the lowest. `value` must not be beyond 2^51 from zero, unless out of
/// range.
inline double round_into(double value, ValueRange range, std::uint64_t& clipped) {
  // Adding this leaves no bits below one: much faster than a call, and the same on every machine.
  constexpr double kRounder = 3.0 * (std::uint64_t{1} << 51);
  const bool inside = value >= range.lowest - 0.5 && value < range.highest + 0.5;
  if (!inside) {
    ++clipped;
    return value > range.highest ? range.highest : range.lowest;
  }
  return (value + kRounder) - kRounder;
}

/// Values of `encoding`, which `data` holds; full scale is 1, for integers as for floats. What was in
/// `values` is lost.
void read_values(std::span<const std::byte> data, PcmEncoding encoding, std::vector<double>& values);

/// Appends values to `pcm`: rounded to nearest where it holds integers, without dither; what is beyond full
/// scale is clipped and counted. Throws Error when a value is no number.
void append_values(std::span<const double> values, Pcm& pcm);

/// Leaves one channel, the mean of all.
void mix_to_mono(std::vector<double>& values, std::uint32_t channels);

}  // namespace shardmill::audio
