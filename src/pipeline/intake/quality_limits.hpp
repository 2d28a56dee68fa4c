// QualityLimits: which samples are left out because of measurements of their audio.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "manifest/reject.hpp"
#include "model/audio_info.hpp"

namespace shardmill::pipeline {

/// In per cent; none: no limit.
struct QualityLimits {
  std::optional<double> most_clipped{};
  std::optional<double> most_dc_offset{};
  std::optional<double> most_silence{};
  bool no_narrow_band = false;

  bool any() const noexcept { return most_clipped || most_dc_offset || most_silence || no_narrow_band; }
};

/// Why the user does not want such audio, with the figure; nullopt when it is within the limits.
std::optional<std::pair<manifest::RejectReason, std::string>> beyond(const QualityLimits& limits,
                                                                     const AudioQuality& quality);

}  // namespace shardmill::pipeline
