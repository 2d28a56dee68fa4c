#include "pipeline/measure/rejects.hpp"

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
