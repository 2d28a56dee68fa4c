#include "pipeline/measure/filters.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace shardmill::pipeline {
namespace {

using manifest::RejectReason;
using ::testing::HasSubstr;
using ::testing::Optional;
using ::testing::Pair;

const Filters kAllLimits{
    .quality = {.most_clipped = 1, .most_dc_offset = 5, .most_silence = 50, .no_narrow_band = true}};

TEST(FiltersTest, NoneIsSetAtFirst) {
  EXPECT_FALSE(is_any_set({}));
  EXPECT_FALSE(need_quality({}));
  const AudioQuality worst{
      .clipped = 1, .dc_offset = 1, .digital_silence = 1, .all_zero = true, .narrow_band = true};
  EXPECT_EQ(find_filter({.seconds = 0, .has_text = false, .quality = worst}, {}), std::nullopt);
}

TEST(FiltersTest, EachAloneIsSet) {
  for (const Filters& by_headers : {Filters{.min_seconds = 1}, {.max_seconds = 1}, {.require_text = true}}) {
    EXPECT_TRUE(is_any_set(by_headers));
    EXPECT_FALSE(need_quality(by_headers));
  }
  for (const QualityLimits& limits : {QualityLimits{.most_clipped = 0},
                                      {.most_dc_offset = 0},
                                      {.most_silence = 0},
                                      {.no_narrow_band = true}}) {
    const Filters by_sound{.quality = limits};
    EXPECT_TRUE(is_any_set(by_sound));
    EXPECT_TRUE(need_quality(by_sound));
  }
}

TEST(FiltersTest, LeaveOutBySecondsAndText) {
  const Filters filters{.min_seconds = 1, .max_seconds = 2, .require_text = true};
  EXPECT_EQ(find_filter({.seconds = 1, .has_text = true}, filters), std::nullopt);
  EXPECT_EQ(find_filter({.seconds = 2, .has_text = true}, filters), std::nullopt);
  EXPECT_THAT(find_filter({.seconds = 0.5, .has_text = false}, filters),
              Optional(Pair(RejectReason::too_short, "lasts 0.5 s")));
  EXPECT_THAT(find_filter({.seconds = 2.5}, filters), Optional(Pair(RejectReason::too_long, "lasts 2.5 s")));
  EXPECT_THAT(find_filter({.seconds = 1.5, .has_text = false}, filters),
              Optional(Pair(RejectReason::no_text, "has no transcript")));
}

TEST(FiltersTest, SayNothingOfWhatIsUnknown) {
  Filters all = kAllLimits;
  all.min_seconds = 1;
  all.require_text = true;
  EXPECT_EQ(find_filter({}, all), std::nullopt);
}

TEST(FiltersTest, TheLimitItselfPasses) {
  const AudioQuality at_limits{.clipped = 0.01, .dc_offset = -0.05, .digital_silence = 0.5};
  EXPECT_EQ(find_filter({.quality = at_limits}, kAllLimits), std::nullopt);
}

TEST(FiltersTest, TheProblemHasTheFigure) {
  const auto found = [](const AudioQuality& quality) {
    return find_filter({.quality = quality}, kAllLimits);
  };
  EXPECT_THAT(found({.clipped = 0.0101}), Optional(Pair(RejectReason::clipped, HasSubstr("1.0100%"))));
  EXPECT_THAT(found({.dc_offset = -0.06}), Optional(Pair(RejectReason::dc_offset, HasSubstr("-6.0000%"))));
  EXPECT_THAT(found({.digital_silence = 0.75}),
              Optional(Pair(RejectReason::silent, HasSubstr("75.0000% of it"))));
  EXPECT_THAT(found({.digital_silence = 1, .all_zero = true}),
              Optional(Pair(RejectReason::silent, "holds nothing but zeros")));
  EXPECT_THAT(found({.above_4khz_db = -71.25, .narrow_band = true}),
              Optional(Pair(RejectReason::narrow_band, HasSubstr("-71.2 dB"))));
  EXPECT_THAT(found({.narrow_band = true}),
              Optional(Pair(RejectReason::narrow_band, "has nothing above 4 kHz")));
}

}  // namespace
}  // namespace shardmill::pipeline
