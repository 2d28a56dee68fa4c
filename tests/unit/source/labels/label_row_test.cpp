#include "source/labels/label_row.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"

namespace shardmill::source {
namespace {

using ::testing::HasSubstr;

LabelRow row_in(const std::string& json, std::string_view text_field = {}) {
  LabelShape shape(TableKind::json_lines, json, text_field);
  const auto rows = shape.learn(json);
  EXPECT_EQ(rows.size(), 1U);
  return rows.front();
}

TEST(LabelRowTest, KnownColumnsAndAllOthers) {
  const LabelRow row = row_in(
      R"({"audio_filepath":"a/b.wav","text":"t","utt_id":"k","offset":1,"duration":2.5,"channel":"right","language":"de","snr":3})");
  EXPECT_EQ(row.audio, "a/b.wav");
  EXPECT_EQ(row.key, "k");
  EXPECT_EQ(row.text, "t");
  EXPECT_EQ(row.begin_seconds, 1);
  EXPECT_EQ(row.end_seconds, 3.5);
  EXPECT_EQ(row.channel, 1U);
  EXPECT_EQ(row.facts, R"("language":"de","lang":"de","snr":3)");
  EXPECT_EQ(row.problem, "");
}

TEST(LabelRowTest, AnotherTextIsWanted) {
  EXPECT_EQ(row_in(R"({"path":"a.wav","text":"t","raw":"r"})", "raw").text, "r");
  EXPECT_EQ(row_in(R"({"path":"a.wav","text":"t","raw":"r"})", "raw").facts, R"("source_text":"t")");
}

TEST(LabelRowTest, WhatCannotBeReadIsAProblemOfTheRow) {
  EXPECT_THAT(row_in(R"({"path":"a.wav","text":["t"]})").problem, HasSubstr("'text' is a list"));
  EXPECT_THAT(row_in(R"({"path":"a.wav","channel":1.5})").problem, HasSubstr("not the number of a channel"));
  EXPECT_THAT(row_in(R"({"path":"a.wav","start":2,"end":1})").problem, HasSubstr("ends at 1 s"));
}

TEST(LabelRowTest, AChannelMayBeThatOfABroadcaster) {
  const LabelRow row = row_in(R"({"path":"a.wav","channel":"BBC"})");
  EXPECT_FALSE(row.channel.has_value());
  EXPECT_EQ(row.facts, R"("channel":"BBC")");
}

TEST(LabelRowTest, TheAudioOfALineIsThatOfItsFirstGoodRow) {
  const auto row = [](const std::string& audio, const std::string& problem) {
    LabelRow one;
    one.audio = audio;
    one.problem = problem;
    return one;
  };
  EXPECT_EQ(audio_in({}), "");
  EXPECT_EQ(audio_in({row("", "bad"), row("a", "bad"), row("b", "bad")}), "a");
  EXPECT_EQ(audio_in({row("a", "bad"), row("b", ""), row("c", "")}), "b");
}

TEST(LabelRowTest, NamesOfSegments) {
  EXPECT_EQ(segment_suffix(1, 2.5), "-0001000-0002500");
  EXPECT_EQ(segment_suffix(0.0004, CorpusUtterance::kToTheEnd), "-0000000");
}

}  // namespace
}  // namespace shardmill::source
