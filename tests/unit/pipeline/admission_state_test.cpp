#include "pipeline/admission_state.hpp"

#include <gtest/gtest.h>

#include <utility>

#include "support/made_utterance.hpp"

namespace shardmill::pipeline {
namespace {

using namespace std::chrono_literals;
using testing::made_utterance;

IntakeCounts counts_of(const Utterance& utterance) {
  IntakeCounts counts;
  count(counts, utterance);
  return counts;
}

/// With all that can be counted of a sample that is taken.
Utterance rich_utterance(const std::string& key) {
  Utterance utterance = made_utterance(key);
  utterance.has_text = utterance.text_cleaned = utterance.reencoded = true;
  utterance.record.audio_bytes = 1000;
  utterance.record.facts = R"("subset":"S M","speaker":"x")";
  return utterance;
}

TEST(CountingTest, OfEachSampleItsAudioAndItsText) {
  IntakeCounts counts = counts_of(rich_utterance("a"));
  count(counts, made_utterance("b"));
  EXPECT_EQ(counts.taken, 2U);
  EXPECT_EQ(counts.audio_bytes, 1000U);
  EXPECT_EQ(counts.texts_cleaned, 1U);
  EXPECT_EQ(counts.reencoded, 1U);
  EXPECT_EQ(counts.texts.at("d").samples, 2U);
  EXPECT_EQ(counts.texts.at("d").with_text, 1U);
  ASSERT_EQ(counts.forms.size(), 1U);
  EXPECT_EQ(counts.forms.begin()->second.samples, 2U);
  EXPECT_EQ(counts.forms.begin()->second.duration, 2s);
}

TEST(CountingTest, EachFormOfAudioByItself) {
  IntakeCounts counts = counts_of(made_utterance("a"));
  Utterance other = made_utterance("b");
  other.record.audio.sample_rate = 8000;
  count(counts, other);
  other.record.audio.channels = 2;
  count(counts, other);
  EXPECT_EQ(counts.forms.size(), 3U);
}

TEST(CountingTest, ASampleMayBelongToSeveralSubsets) {
  const IntakeCounts counts = counts_of(rich_utterance("a"));
  const auto& subsets = counts.subsets.at("d");
  ASSERT_EQ(subsets.size(), 2U);
  EXPECT_EQ(subsets.at("S").samples, 1U);
  EXPECT_EQ(subsets.at("M").duration, 1s);
}

TEST(CountingTest, TextsThatWereLookedForWhileReadingAreMissedByTheirFirstSample) {
  Utterance utterance = made_utterance("first");
  EXPECT_TRUE(counts_of(utterance).textless.empty()) << "that was known before";
  utterance.is_text_told_late = true;
  IntakeCounts counts = counts_of(utterance);
  utterance.record.source_key = "second";
  count(counts, utterance);
  utterance.has_text = true;
  count(counts, utterance);
  EXPECT_EQ(counts.textless.at("d").samples, 2U);
  EXPECT_EQ(counts.textless.at("d").first, "first");
  EXPECT_EQ(counts.textless.at("d").source, "s.tar");
}

TEST(CountingTest, AFactThatAFileShouldTellIsMissedWhereItLacks) {
  Utterance utterance = made_utterance("a");
  utterance.teller = {.fact = "gender", .file = "spk_info.txt"};
  IntakeCounts counts = counts_of(utterance);
  EXPECT_EQ(counts.factless.at("d").samples, 1U);
  EXPECT_EQ(counts.factless.at("d").fact, "gender");
  EXPECT_EQ(counts.factless.at("d").teller, "spk_info.txt");
  utterance.record.facts = R"("gender":"female")";
  EXPECT_TRUE(counts_of(utterance).factless.empty());
}

TEST(CountingTest, WhatIsTakenOutAgainLeavesNoTrace) {
  IntakeCounts counts = counts_of(made_utterance("a"));
  const IntakeCounts part = counts_of(rich_utterance("b"));
  count(counts, rich_utterance("b"));
  subtract(counts, part);
  EXPECT_EQ(counts.taken, 1U);
  EXPECT_EQ(counts.audio_bytes, 0U);
  EXPECT_EQ(counts.texts_cleaned, 0U);
  EXPECT_EQ(counts.reencoded, 0U);
  EXPECT_EQ(counts.texts.at("d").samples, 1U);
  EXPECT_EQ(counts.texts.at("d").with_text, 0U);
  EXPECT_TRUE(counts.subsets.empty());
  ASSERT_EQ(counts.forms.size(), 1U);
  EXPECT_EQ(counts.forms.begin()->second.samples, 1U);
  EXPECT_EQ(counts.forms.begin()->second.duration, 1s);
  subtract(counts, counts_of(made_utterance("a")));
  EXPECT_TRUE(counts.forms.empty());
}

TEST(CountingTest, WhatWasLeftOutStays) {
  IntakeCounts counts = counts_of(made_utterance("a"));
  counts.left_out["too_long"] = 3;
  counts.warnings["odd"] = 2;
  subtract(counts, counts_of(made_utterance("a")));
  EXPECT_EQ(counts.left_out.at("too_long"), 3U);
  EXPECT_EQ(counts.warnings.at("odd"), 2U);
}

constexpr FileNumber kFile{.stream = 0, .file = 3};
constexpr FileNumber kOther{.stream = 1, .file = 3};

TEST(UncheckedSamples, AddUpOverThePiecesOfAStream) {
  UncheckedSamples samples;
  samples.add(kFile, 100, 1);
  samples.add(kFile, 200, 2);
  samples.end_piece(kFile, 0);
  samples.add(kOther, 100, 1);
  samples.end_piece(kOther, 0);
  samples.add(kFile, 300, 1);
  EXPECT_EQ(samples.doubt(kFile, 0, 350, 0), 4U);
  EXPECT_EQ(samples.state().at(kOther).samples, 1U);
}

TEST(UncheckedSamples, OfStreamsThatEndedAreRight) {
  UncheckedSamples samples;
  samples.add(kFile, 100, 1);
  samples.end_piece(kFile, 0);
  samples.add(kFile, 200, 1);
  samples.add(kFile, 260, 1);  // ends in the next stream
  samples.add(kFile, 300, 1);
  samples.end_piece(kFile, 250);
  EXPECT_EQ(samples.doubt(kFile, 250, 300, 0), 2U);
}

TEST(UncheckedSamples, AStreamMayBeginInThePieceThatIsDamaged) {
  UncheckedSamples samples;
  samples.add(kFile, 100, 1);
  samples.end_piece(kFile, 0);
  samples.add(kFile, 200, 1);
  samples.add(kFile, 300, 1);
  EXPECT_EQ(samples.doubt(kFile, 250, 300, 0), 1U);
}

TEST(UncheckedSamples, ThatComeAfterTheDamageBelongToTheirDoubt) {
  UncheckedSamples samples;
  samples.add(kFile, 100, 1);
  EXPECT_EQ(samples.doubt(kFile, 0, 250, 7), 1U);
  samples.end_piece(kFile, 250);
  EXPECT_EQ(samples.add(kFile, 240, 1), 7U);
  EXPECT_EQ(samples.add(kFile, 300, 1), std::nullopt);
  EXPECT_EQ(samples.add(kOther, 240, 1), std::nullopt);
  samples.end_file(kFile);
  EXPECT_EQ(samples.add(kFile, 240, 1), std::nullopt);
}

TEST(UncheckedSamples, GoOnFromTheirState) {
  UncheckedSamples samples;
  samples.add(kFile, 100, 5);
  samples.end_piece(kFile, 50);
  auto state = samples.state();
  UncheckedSamples resumed(std::move(state));
  resumed.add(kFile, 200, 1);
  EXPECT_EQ(resumed.doubt(kFile, 50, 250, 0), 6U);
}

TEST(UncheckedSamples, OfUnknownPlacesAreNotCounted) {
  UncheckedSamples samples;
  samples.add(kFile, 0, 1);
  samples.end_piece(kFile, 0);
  EXPECT_TRUE(samples.state().empty());
}

}  // namespace
}  // namespace shardmill::pipeline
