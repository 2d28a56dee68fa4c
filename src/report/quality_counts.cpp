#include "report/quality_counts.hpp"

#include <cmath>

namespace shardmill::report {

void QualityCounts::add(const AudioQuality& quality) {
  measured += 1;
  clipped += quality.clipped >= kClipped ? 1 : 0;
  dc_offset += std::abs(quality.dc_offset) >= kDcOffset ? 1 : 0;
  silent += !quality.all_zero && quality.digital_silence >= kSilence ? 1 : 0;
  all_zero += quality.all_zero ? 1 : 0;
  narrow_band += quality.narrow_band ? 1 : 0;
}

void QualityCounts::add(const QualityCounts& other) {
  measured += other.measured;
  clipped += other.clipped;
  dc_offset += other.dc_offset;
  silent += other.silent;
  all_zero += other.all_zero;
  narrow_band += other.narrow_band;
}

}  // namespace shardmill::report
