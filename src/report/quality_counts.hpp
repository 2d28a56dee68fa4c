// QualityCounts: how many samples of a dataset have clipped values, silence and the like.
#pragma once

#include <cstdint>

#include "model/audio_quality.hpp"

namespace shardmill::report {

struct QualityCounts {
  // From these on a sample counts. They are shares.
  static constexpr double kClipped = 0.001;
  static constexpr double kDcOffset = 0.01;
  static constexpr double kSilence = 0.5;

  std::uint64_t measured = 0;
  std::uint64_t clipped = 0;
  std::uint64_t dc_offset = 0;
  std::uint64_t silent = 0;  // half of it or more, but not all
  std::uint64_t all_zero = 0;
  std::uint64_t narrow_band = 0;

  void add(const AudioQuality& quality);
  void add(const QualityCounts& other);
  bool has_any() const { return clipped + dc_offset + silent + all_zero + narrow_band != 0; }
};

}  // namespace shardmill::report
