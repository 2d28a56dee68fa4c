#include "pipeline/measure/rejects.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/io/line_reader.hpp"

namespace shardmill::pipeline {
namespace {

using manifest::RejectReason;

const Origin kOrigin{.dataset = 1, .dataset_name = "set", .source = "a.tar"};

TEST(Rejects, AFindingThatLosesNothingIsNone) {
  for (const ShardProblem problem : {ShardProblem::directory, ShardProblem::odd_name, ShardProblem::resumed})
    EXPECT_EQ(reject_of(ShardFinding{.problem = problem, .name = "x", .text = "is odd"}, kOrigin),
              std::nullopt);
}

TEST(Rejects, DamageLosesAnUnknownNumberOfSamplesUnlessTheyAreListed) {
  const ShardFinding finding{
      .problem = ShardProblem::bad_header, .name = "", .offset = 512, .bytes = 1024, .text = "is damaged"};
  const auto reject = reject_of(finding, kOrigin);
  ASSERT_TRUE(reject);
  EXPECT_EQ(reject->reason, RejectReason::damaged_source);
  EXPECT_TRUE(reject->samples_unknown);
  EXPECT_EQ(reject->tar_bytes->begin, 512u);
  EXPECT_EQ(reject->tar_bytes->end, 1536u);
  Origin listed = kOrigin;
  listed.is_listed = true;
  EXPECT_EQ(reject_of(finding, listed)->samples, 0u);
}

TEST(Rejects, WhatAReaderLostGetsItsPlace) {
  const auto reject = reject_of(lost_utterance("k", RejectReason::bad_segment, "begins at 3 s"), kOrigin, {});
  EXPECT_EQ(reject.dataset, "set");
  EXPECT_EQ(reject.source, "a.tar");
  EXPECT_EQ(reject.key, "k");
  EXPECT_EQ(reject.reason, RejectReason::bad_segment);
}

TEST(Rejects, WhatTheUserDidNotWantIsNoError) {
  const KeyPatterns keys{.include = {}, .exclude = {"k*"}};
  const auto lost = reject_of(lost_utterance("k", RejectReason::bad_audio, "is damaged"), kOrigin, keys);
  EXPECT_EQ(lost.reason, RejectReason::excluded);
  EXPECT_FALSE(is_error(lost.reason));
  const source::Unusable unusable{
      .what = source::Unusable::What::audio, .key = "k", .error = Error("is not there", at("k.wav"))};
  EXPECT_EQ(reject_of(unusable, keys).reason, RejectReason::excluded);
  EXPECT_EQ(reject_of(unusable, {}).reason, RejectReason::missing_audio);
  EXPECT_EQ(reject_of(unusable, {}).source, "k.wav");
}

}  // namespace
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
