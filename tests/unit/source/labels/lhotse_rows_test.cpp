#include "source/labels/lhotse_rows.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"

namespace shardmill::source {
namespace {

constexpr const char* kRecording =
    R"({"id":"r","sources":[{"type":"file","channels":[0],"source":"a/r.flac"}],"sampling_rate":16000,)"
    R"("num_samples":160000,"duration":10.0,"channel_ids":[0]})";

std::vector<LabelRow> rows(const std::string& json, std::string_view text_field = {}) {
  base::JsonParser parser;
  return lhotse_rows(parser.parse(json), text_field);
}

std::string cut(const std::string& supervisions, const std::string& more = "") {
  return std::string(R"({"id":"c","start":2.5,"duration":3,"channel":0,"type":"MonoCut","supervisions":[)") +
         supervisions + R"(],"recording":)" + kRecording + more + "}";
}

TEST(LhotseRows, ACutWithOneSupervisionIsASample) {
  const auto found =
      rows(cut(R"({"id":"s","recording_id":"r","start":0.5,"duration":1,"channel":0,"text":"words",)"
               R"("speaker":"x","language":"de","custom":{"snr":3}})",
               R"(,"custom":{"shard":7,"emb":{"array":1}})"));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].key, "c");
  EXPECT_EQ(found[0].audio, "a/r.flac");
  EXPECT_EQ(found[0].text, "words");
  EXPECT_EQ(found[0].begin_seconds, 2.5);
  EXPECT_EQ(found[0].end_seconds, 5.5);
  EXPECT_EQ(found[0].facts, R"("speaker":"x","language":"de","lang":"de","snr":3,"shard":7)");
  EXPECT_FALSE(found[0].channel.has_value());
}

TEST(LhotseRows, ASupervisionOfAnotherRecordingIsTakenWithADoubt) {
  const std::string alike = R"({"id":"s","recording_id":"r","start":0,"duration":1,"text":"t"})";
  const std::string other = R"({"id":"s","recording_id":"q","start":0,"duration":1,"text":"t"})";
  CutDoubts doubts;
  for (const LabelRow& row : rows(cut(alike))) doubts.add(row);
  EXPECT_TRUE(doubts.warnings("x").empty());
  for (const std::string& supervisions : {other, alike + "," + other}) {
    for (const LabelRow& row : rows(cut(supervisions))) {
      EXPECT_EQ(row.problem, "");
      doubts.add(row);
    }
  }
  ASSERT_EQ(doubts.warnings("x").size(), 1U);
  EXPECT_EQ(
      doubts.warnings("x").front().problem(),
      "the text of 'c', which is of the recording 'r', is that of the recording 'q', and it is so with 1 "
      "more");
}

TEST(LhotseRows, ACutOfAnUnknownTypeIsAProblem) {
  std::string odd = cut(R"({"id":"s","start":0,"duration":1,"text":"t"})");
  odd.replace(odd.find("MonoCut"), 7, "FooCut");
  EXPECT_EQ(rows(odd).front().problem, "is a FooCut, and only a MonoCut or a MultiCut can be read");
}

TEST(LhotseRows, EachOfSeveralSupervisionsIsOne) {
  const auto found =
      rows(cut(R"({"id":"s1","start":0.1,"duration":1,"text":"a"},{"id":"s2","start":1.2,"duration":0.3})"));
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].key, "s1");
  EXPECT_EQ(found[0].begin_seconds, 2.6);
  EXPECT_EQ(found[1].begin_seconds, 3.7);
  EXPECT_EQ(found[1].end_seconds, 4);
  EXPECT_FALSE(found[1].text.has_value());
}

TEST(LhotseRows, ASupervisionThatCannotBeReadLeavesTheOthers) {
  const auto found = rows(cut(R"({"id":"s1","start":0.1,"text":"a"},{"start":1,"duration":1},)"
                              R"({"id":"s2","start":1.2,"duration":0.3,"text":"b"})"));
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].key, "s1");
  EXPECT_THAT(found[0].problem, ::testing::HasSubstr("duration"));
  EXPECT_THAT(found[1].problem, ::testing::HasSubstr("id"));
  EXPECT_EQ(found[2].problem, "");
  EXPECT_EQ(found[2].text, "b");
}

TEST(LhotseRows, TextsOfLibriHeavy) {
  const std::string heavy =
      cut(R"({"id":"s","start":0,"duration":3,"custom":{"texts":["Cased.","CASED"],"pre_texts":["x"]}})");
  EXPECT_EQ(rows(heavy)[0].text, "Cased.");
  EXPECT_EQ(rows(heavy, "upper")[0].text, "CASED");
  EXPECT_EQ(rows(heavy)[0].facts, "");
  EXPECT_EQ(rows(cut(R"({"id":"s","start":0,"duration":3,"text":"t","custom":{"itn":"i"}})"), "itn")[0].text,
            "i");
}

TEST(LhotseRows, ACutOfAWholeRecordingTakesTheFileAsItIs) {
  const std::string whole =
      std::string(R"({"id":"c","start":0,"duration":10.0,"channel":0,"supervisions":[],"recording":)") +
      kRecording + "}";
  EXPECT_TRUE(rows(whole)[0].is_whole());
}

TEST(LhotseRows, ChannelsAndFilesOfChannels) {
  base::JsonParser parser;
  const LhotseRecording meeting = lhotse_recording(parser.parse(
      R"({"id":7,"sources":[{"type":"file","channels":[0],"source":"0.wav"},{"type":"file","channels":[1,2],)"
      R"("source":"12.wav"}],"sampling_rate":8000,"duration":5})"));
  EXPECT_EQ(meeting.id, "7");
  const auto choice = [&](const std::vector<std::uint64_t>& channels) {
    LabelRow row;
    row.channels = channels;
    const LhotseSource* const source = choose_source(meeting, row);
    if (source == nullptr) return row.problem;
    return source->source + (row.channel ? " " + std::to_string(*row.channel) : "");
  };
  EXPECT_EQ(choice({0}), "0.wav");
  EXPECT_EQ(choice({2}), "12.wav 1");
  EXPECT_EQ(choice({1, 2}), "12.wav");
  EXPECT_EQ(choice({0, 1}), "is of channel 0, 1, which no file of its recording has");
  EXPECT_EQ(choice({}), "is of all channels of its recording, which are in 2 files");
}

TEST(LhotseRows, WhatCannotBeCutSaysWhy) {
  EXPECT_THAT(rows(R"({"id":"m","type":"MixedCut","tracks":[]})")[0].problem,
              ::testing::HasSubstr("MixedCut"));
  const std::string transformed = cut("");
  const auto at = transformed.find("\"channel_ids\"");
  const auto found =
      rows(transformed.substr(0, at) + R"("transforms":[{"name":"Resample"}],)" + transformed.substr(at));
  EXPECT_EQ(found[0].problem, "its recording is transformed: Resample");
  EXPECT_THROW(rows(kRecording), Error);
  EXPECT_THROW(rows(R"({"text":"x"})"), Error);
}

}  // namespace
}  // namespace shardmill::source
