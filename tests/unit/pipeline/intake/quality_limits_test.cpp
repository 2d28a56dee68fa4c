#include "pipeline/intake/quality_limits.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace shardmill::pipeline {
namespace {

using manifest::RejectReason;
using ::testing::HasSubstr;

const QualityLimits kAllLimits{
    .most_clipped = 1, .most_dc_offset = 5, .most_silence = 50, .no_narrow_band = true};

TEST(QualityLimitsTest, WithoutLimitsEverythingPasses) {
  EXPECT_FALSE(QualityLimits().any());
  EXPECT_EQ(
      beyond({}, {.clipped = 1, .dc_offset = 1, .digital_silence = 1, .all_zero = true, .narrow_band = true}),
      std::nullopt);
}

TEST(QualityLimitsTest, EachAloneIsALimit) {
  EXPECT_TRUE(QualityLimits{.most_clipped = 0}.any());
  EXPECT_TRUE(QualityLimits{.most_dc_offset = 0}.any());
  EXPECT_TRUE(QualityLimits{.most_silence = 0}.any());
  EXPECT_TRUE(QualityLimits{.no_narrow_band = true}.any());
}

TEST(QualityLimitsTest, TheLimitItselfPasses) {
  EXPECT_EQ(beyond(kAllLimits, {.clipped = 0.01, .dc_offset = -0.05, .digital_silence = 0.5}), std::nullopt);
}

TEST(QualityLimitsTest, WhatIsBeyondIsToldWithItsFigure) {
  const auto clipped = beyond(kAllLimits, {.clipped = 0.0101});
  ASSERT_TRUE(clipped);
  EXPECT_EQ(clipped->first, RejectReason::clipped);
  EXPECT_THAT(clipped->second, HasSubstr("1.0100%"));
  const auto offset = beyond(kAllLimits, {.dc_offset = -0.06});
  ASSERT_TRUE(offset);
  EXPECT_EQ(offset->first, RejectReason::dc_offset);
  EXPECT_THAT(offset->second, HasSubstr("-6.0000%"));
  const auto silent = beyond(kAllLimits, {.digital_silence = 0.75});
  ASSERT_TRUE(silent);
  EXPECT_EQ(silent->first, RejectReason::silent);
  EXPECT_THAT(silent->second, HasSubstr("75.0000% of it"));
  const auto zeros = beyond(kAllLimits, {.digital_silence = 1, .all_zero = true});
  ASSERT_TRUE(zeros);
  EXPECT_EQ(zeros->second, "holds nothing but zeros");
}

TEST(QualityLimitsTest, NarrowBandIsToldWithItsFigureWhereThereIsOne) {
  const auto measured = beyond(kAllLimits, {.above_4khz_db = -71.25, .narrow_band = true});
  ASSERT_TRUE(measured);
  EXPECT_EQ(measured->first, RejectReason::narrow_band);
  EXPECT_THAT(measured->second, HasSubstr("-71.2 dB"));
  const auto unmeasured = beyond(kAllLimits, {.narrow_band = true});
  ASSERT_TRUE(unmeasured);
  EXPECT_EQ(unmeasured->second, "has nothing above 4 kHz");
}

}  // namespace
}  // namespace shardmill::pipeline
