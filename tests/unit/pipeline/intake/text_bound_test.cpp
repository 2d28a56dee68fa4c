#include "pipeline/intake/text_bound.hpp"

#include <gtest/gtest.h>

#include <string>

#include "base/io/line_reader.hpp"

namespace shardmill::pipeline {
namespace {

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
