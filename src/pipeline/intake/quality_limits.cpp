#include "pipeline/intake/quality_limits.hpp"

#include <fmt/format.h>

#include <cmath>

namespace shardmill::pipeline {

using manifest::RejectReason;

std::optional<std::pair<RejectReason, std::string>> beyond(const QualityLimits& limits,
                                                           const AudioQuality& quality) {
  const auto exceeds = [](const std::optional<double>& limit, double share) {
    return limit && 100 * share > *limit;
  };
  if (exceeds(limits.most_clipped, quality.clipped))
    return std::pair(RejectReason::clipped,
                     fmt::format("{:.4f}% of its values are at full scale", 100 * quality.clipped));
  if (exceeds(limits.most_dc_offset, std::abs(quality.dc_offset)))
    return std::pair(RejectReason::dc_offset,
                     fmt::format("has a DC offset of {:.4f}% of full scale", 100 * quality.dc_offset));
  if (exceeds(limits.most_silence, quality.digital_silence))
    return std::pair(RejectReason::silent, quality.all_zero ? std::string("holds nothing but zeros")
                                                            : fmt::format("{:.4f}% of it is digital silence",
                                                                          100 * quality.digital_silence));
  if (limits.no_narrow_band && quality.narrow_band)
    return std::pair(RejectReason::narrow_band,
                     quality.above_4khz_db
                         ? fmt::format("has nothing above 4 kHz: {:.1f} dB relative to the band below",
                                       *quality.above_4khz_db)
                         : std::string("has nothing above 4 kHz"));
  return std::nullopt;
}

}  // namespace shardmill::pipeline
