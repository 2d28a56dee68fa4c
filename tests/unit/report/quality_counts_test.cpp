#include "report/quality_counts.hpp"

#include <gtest/gtest.h>

namespace shardmill::report {
namespace {

QualityCounts counts_of(const AudioQuality& quality) {
  QualityCounts counts;
  counts.add(quality);
  return counts;
}

TEST(QualityCounts, SoundAudioIsMeasuredAndNothingElse) {
  const QualityCounts counts = counts_of({});
  EXPECT_EQ(counts.measured, 1U);
  EXPECT_FALSE(counts.has_any());
}

TEST(QualityCounts, ALimitItselfCounts) {
  EXPECT_EQ(counts_of({.clipped = 0.001}).clipped, 1U);
  EXPECT_FALSE(counts_of({.clipped = 0.000999}).has_any());
  EXPECT_EQ(counts_of({.dc_offset = 0.01}).dc_offset, 1U);
  EXPECT_EQ(counts_of({.dc_offset = -0.01}).dc_offset, 1U) << "an offset to the other side";
  EXPECT_FALSE(counts_of({.dc_offset = -0.009}).has_any());
  EXPECT_EQ(counts_of({.digital_silence = 0.5}).silent, 1U);
  EXPECT_FALSE(counts_of({.digital_silence = 0.499}).has_any());
  EXPECT_EQ(counts_of({.narrow_band = true}).narrow_band, 1U);
}

TEST(QualityCounts, ZerosAreNotSilentOnceMore) {
  const QualityCounts counts = counts_of({.digital_silence = 1, .all_zero = true});
  EXPECT_EQ(counts.all_zero, 1U);
  EXPECT_EQ(counts.silent, 0U);
  EXPECT_TRUE(counts.has_any());
}

TEST(QualityCounts, CountsOfTwoManifestsAddUp) {
  QualityCounts counts = counts_of({.clipped = 0.5, .dc_offset = 0.5, .digital_silence = 0.75});
  QualityCounts other = counts_of({.clipped = 0.5, .all_zero = true, .narrow_band = true});
  other.add(AudioQuality{.dc_offset = 1, .digital_silence = 0.5});
  counts.add(other);
  EXPECT_EQ(counts.measured, 3U);
  EXPECT_EQ(counts.clipped, 2U);
  EXPECT_EQ(counts.dc_offset, 2U);
  EXPECT_EQ(counts.silent, 2U);
  EXPECT_EQ(counts.all_zero, 1U);
  EXPECT_EQ(counts.narrow_band, 1U);
}

}  // namespace
}  // namespace shardmill::report
