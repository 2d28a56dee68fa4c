#include <gtest/gtest.h>

#include <string>

#include "manifest/sample_record.hpp"

namespace shardmill::manifest {
namespace {

std::string quality_json(const AudioQuality& quality) {
  std::string out;
  base::JsonWriter json(out);
  write_quality(json, quality);
  return out;
}

std::optional<AudioQuality> quality_of(const std::string& json) {
  base::JsonParser parser;
  return read_quality(parser.parse(json));
}

TEST(QualityFields, WhatWasWrittenIsRead) {
  const AudioQuality plain{.clipped = 0.000125, .dc_offset = -0.0625, .digital_silence = 0.5};
  EXPECT_EQ(quality_of(quality_json(plain)), plain);
  const AudioQuality all{.clipped = 1,
                         .dc_offset = 0,
                         .digital_silence = 1,
                         .all_zero = true,
                         .above_4khz_db = -48.25,
                         .narrow_band = true};
  EXPECT_EQ(quality_of(quality_json(all)), all);
}

TEST(QualityFields, WhatDoesNotHoldIsNotWritten) {
  EXPECT_EQ(quality_json({}), R"({"clipped":0.0,"dc_offset":0.0,"digital_silence":0.0})");
}

TEST(QualityFields, AnotherValueUnderThisNameIsNoQuality) {
  for (const char* other :
       {"7", "\"good\"", "null", "[]", "{}", R"({"clipped": 0.5})",
        R"({"clipped": "0.5", "dc_offset": 0, "digital_silence": 0})",
        R"({"clipped": 0, "dc_offset": 0, "digital_silence": 0, "above_4khz_db": "high"})"})
    EXPECT_EQ(quality_of(other), std::nullopt) << other;
}

TEST(QualityFields, FlagsHoldOnlyWhereTheyAreTrue) {
  const auto quality = quality_of(
      R"({"clipped": 0, "dc_offset": 0, "digital_silence": 0, "all_zero": false, "narrow_band": "true"})");
  ASSERT_TRUE(quality);
  EXPECT_FALSE(quality->all_zero);
  EXPECT_FALSE(quality->narrow_band);
}

}  // namespace
}  // namespace shardmill::manifest
