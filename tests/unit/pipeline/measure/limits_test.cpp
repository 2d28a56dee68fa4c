#include "pipeline/measure/limits.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/io/line_reader.hpp"

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

TEST(TextBoundTest, ATranscriptMayBeAsLongAsALine) {
  EXPECT_EQ(find_long_transcript(0), std::nullopt);
  EXPECT_EQ(find_long_transcript(base::kLongestLine), std::nullopt);
  EXPECT_TRUE(find_long_transcript(base::kLongestLine + 1));
}

/// Whether the line of a sample with this transcript is taken.
bool is_taken(const std::string& transcript, const std::string& facts = "") {
  manifest::SampleRecord record;
  record.key = "key";
  record.audio = {.format = "wav/pcm16", .sample_rate = 16000, .channels = 1, .frames = 16000};
  record.facts = facts;
  return !find_long_line(record, transcript);
}

TEST(TextBoundTest, ALineThatCanBeReadAgainIsTaken) {
  EXPECT_TRUE(is_taken(""));
  // Too long if each byte took six, as control characters do; these take one.
  EXPECT_TRUE(is_taken(std::string(base::kLongestLine / 2, 'x')));
  EXPECT_FALSE(is_taken(std::string(base::kLongestLine - 1000, 'x')));
}

TEST(TextBoundTest, EscapesCount) {
  EXPECT_TRUE(is_taken(std::string(base::kLongestLine / 7, '\x01')));
  EXPECT_FALSE(is_taken(std::string(base::kLongestLine / 5, '\x01')));
}

TEST(TextBoundTest, FactsCount) {
  const std::string facts = "\"note\":\"" + std::string(base::kLongestLine / 2, 'n') + "\"";
  EXPECT_TRUE(is_taken("short", facts));
  EXPECT_FALSE(is_taken(std::string(base::kLongestLine / 2, 'x'), facts));
  EXPECT_FALSE(is_taken("short", facts + "," + facts));
}

TEST(TextBoundTest, WhatIsTakenIsALineThatIsRead) {
  // About the longest line that is taken, with room for what is not known yet.
  manifest::SampleRecord record;
  record.key = std::string(200, 'k');
  record.audio = {.format = "wav/pcm16", .sample_rate = 16000, .channels = 1, .frames = 16000};
  std::size_t most = base::kLongestLine;
  while (find_long_line(record, std::string(most, 'x'))) most -= 1500;
  record.text = std::string(most, 'x');
  record.tar_offset = record.shard_id = record.audio_bytes = UINT64_MAX / 2;
  std::string line;
  append_line(line, record);
  EXPECT_LE(line.size(), base::kLongestLine);
}

}  // namespace

}  // namespace shardmill::pipeline
