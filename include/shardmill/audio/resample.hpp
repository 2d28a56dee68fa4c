// Resampling, by libsoxr.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace shardmill::audio {

/// How many frames there are after resampling: the nearest number, as sox has it.
std::uint64_t resampled_frames(std::uint64_t frames, std::uint32_t from_rate, std::uint32_t to_rate);

/// The quality of `sox rate -v`: band 95% wide, linear phase, double precision. `values` have `channels`
/// interleaved. Throws Error, without a place, where libsoxr cannot. Thread-safe.
std::vector<double> resample(std::span<const double> values, std::uint32_t channels, std::uint32_t from_rate,
                             std::uint32_t to_rate);

/// The version of the library that is used.
std::string libsoxr_version();

}  // namespace shardmill::audio
