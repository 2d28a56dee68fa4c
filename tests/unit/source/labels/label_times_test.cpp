#include "source/labels/label_times.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.hpp"

namespace shardmill::source {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr double kEnd = CorpusUtterance::kToTheEnd;

struct Case {
  std::vector<TableField> fields;
  double begin = 0;
  double end = kEnd;
};

TEST(LabelTimes, UsualNamesAndUnits) {
  const std::vector<Case> cases{
      {{}, 0, kEnd},
      {{{"start", "1"}, {"end", "2.5"}}, 1, 2.5},
      {{{"start_ms", "1234"}, {"end_ms", "2500"}}, 1.234, 2.5},
      {{{"start_ms", "5491.9"}, {"end_ms", "\"37145.363\""}}, 5.4919, 37.145363},
      {{{"start_ms", "12e2"}, {"end_ns", "2500000000.5"}}, 1.2, 2.5000000005},
      {{{"start_sec", "1"}, {"end_sec", "2"}}, 1, 2},
      {{{"start_time", "1"}, {"end_time", "2"}}, 1, 2},
      {{{"startTime", "1"}, {"endTime", "2"}}, 1, 2},
      {{{"xmin", "1"}, {"xmax", "2"}}, 1, 2},
      {{{"tmin", "1"}, {"tmax", "2"}}, 1, 2},
      {{{"begin", "1"}, {"stop", "2"}}, 1, 2},
      {{{"onset", "1"}, {"duration", "2"}}, 1, 3},
      {{{"onset", "1"}, {"offset", "2"}}, 1, 2},
      {{{"offset", "2"}, {"onset", "1"}}, 1, 2},
      {{{"onset_ms", "1000"}, {"offset_ms", "2000"}}, 1, 2},
      {{{"offset_ms", "100"}, {"duration_ms", "200"}}, 0.1, 0.3},
      {{{"offset", "1"}, {"duration_s", "2"}}, 1, 3},
      {{{"start (s)", "1"}, {"end (s)", "2"}}, 1, 2},
      {{{"start_in_seconds", "1"}, {"end_in_seconds", "2"}}, 1, 2},
      {{{"segment_start", "1"}, {"segment_end", "2"}}, 1, 2},
      {{{"audio_offset", "1"}, {"audio_duration", "2"}}, 1, 3},
      {{{"begin_time", "\"1\""}, {"dur", "0.5"}}, 1, 1.5},
      {{{"start_us", "1500000"}, {"end_us", "2500000"}}, 1.5, 2.5},
      {{{"开始", "1"}, {"结束", "2"}}, 1, 2},
      {{{"开始时间（毫秒）", "1000"}, {"时长(秒)", "2"}}, 1, 3},
      {{{"起始时间", "\"1.0\""}, {"终止时间", "2"}}, 1, 2},
      {{{"開始", "1"}, {"終了", "2"}}, 1, 2},
      {{{"beg", "1"}, {"end", "2"}}, 1, 2},
      {{{"stime", "1"}, {"etime", "2"}}, 1, 2},
      {{{"end", "2"}}, 0, 2},
      {{{"start", "3"}}, 3, kEnd},
      {{{"start", "1"}, {"end", "2.5"}, {"duration", "1.5"}}, 1, 2.5},
      {{{"start", "1"}, {"end", "2.5"}, {"start_sample", "16000"}, {"n_frames", "7"}}, 1, 2.5},
      {{{"start", "1"}, {"start_ms", "1000"}, {"end", "2"}, {"end_ms", "2000"}}, 1, 2},
      {{{"n_frames", "160"}, {"num_samples", "160"}}, 0, kEnd},
      {{{"timestamp", "1700000000"}, {"endpoint", "\"x\""}, {"gender", "1"}, {"start_word", "3"}}, 0, kEnd},
      {{{"speech_duration", "1.5"}, {"to", "\"b\""}}, 0, kEnd},
      {{{"s", "3"}, {"e", "1"}}, 0, kEnd},
      {{{"sentence_length", "7"}, {"tar_offset", "512"}, {"is_start", "1"}, {"start_snr", "9"}}, 0, kEnd},
      {{{"a_in", "1"}, {"b_out", "2"}, {"s", "\"north\""}, {"e", "\"east\""}}, 0, kEnd},
      {{{"timestamp", "\"2024-01-05\""}, {"time", "\"10:30\""}, {"segment", "\"12-3\""}}, 0, kEnd},
      {{{"len", "17"}, {"first", "1"}, {"t1", "3"}, {"segment", "4"}}, 0, kEnd},
      {{{"first", "\"Ann\""}, {"last", "\"Lee\""}, {"in", "\"x\""}, {"out", "\"y\""}}, 0, kEnd},
      {{{"segment", R"({"id":3,"start":"now"})"}, {"words", R"({"start":1,"end":2})"}}, 0, kEnd},
      {{{"start", "1"}, {"end", "2.5"}, {"t0", "5"}, {"t1", "6"}, {"time", R"({"start":3,"end":4})"}},
       1,
       2.5},
  };
  for (const Case& each : cases) {
    const std::string name = each.fields.empty() ? "" : each.fields.front().first;
    const LabelTimes times = times_of(each.fields);
    EXPECT_THAT(times.problem, IsEmpty()) << name;
    EXPECT_EQ(times.begin_seconds, each.begin) << name;
    EXPECT_EQ(times.end_seconds, each.end) << name;
    EXPECT_FALSE(times.keeps_to_seconds) << name;
  }
  const LabelTimes alone = times_of({{"duration_ms", "1500"}});
  EXPECT_EQ(alone.seconds, 1.5);
  EXPECT_TRUE(alone.keeps_to_seconds);
}

TEST(LabelTimes, ContradictionsAndNonsenseAreProblems) {
  const std::vector<std::pair<std::vector<TableField>, std::string>> cases{
      {{{"start", "1"}, {"end", "2"}, {"duration", "3"}}, "contradict"},
      {{{"start", "1"}, {"start_ms", "2000"}, {"end", "3"}}, "'start' and 'start_ms' contradict"},
      {{{"end", "5"}, {"duration", "2"}}, "contradict"},
      {{{"start", "2"}, {"end", "1"}}, "begins at 2 s and ends at 1 s"},
      {{{"start", "2"}, {"duration", "0"}}, "begins at 2 s and ends at 2 s"},
      {{{"start", "-1"}, {"end", "1"}}, "begins at -1 s"},
      {{{"duration", "0"}}, "lasts 0 s"},
      {{{"duration", "-2"}}, "lasts -2 s"},
      {{{"start", "\"soon\""}, {"end", "1"}}, "'start' is not a number of seconds: soon"},
      {{{"start", "\"nan\""}, {"end", "1"}}, "is not a number of seconds"},
      {{{"start", "[1]"}, {"end", "1"}}, "is not a number of seconds"},
  };
  for (const auto& [fields, says] : cases) EXPECT_THAT(times_of(fields).problem, HasSubstr(says)) << says;
}

TEST(LabelTimes, WhatLooksLikeATimeIsNotIgnored) {
  for (const std::vector<TableField>& fields :
       std::vector<std::vector<TableField>>{{{"start_sample", "16000"}, {"end_sample", "32000"}},
                                            {{"start_frame", "100"}},
                                            {{"duration_samples", "16000"}},
                                            {{"start", "1"}, {"num_seconds", "2"}},
                                            {{"start", "1"}, {"end_tick", "2"}},
                                            {{"segStartTick", "5"}},
                                            {{"my_start", "5"}},
                                            {{"timestamp", "[1.0, 2.5]"}},
                                            {{"timestamps", "5"}},
                                            {{"from", "1"}, {"to", "2"}},
                                            {{"start", "1"}, {"to", "2"}},
                                            {{"start", "1"}, {"len", "2"}},
                                            {{"t0", "1"}, {"t1", "2"}},
                                            {{"cue_in", "1"}, {"cue_out", "2"}},
                                            {{"segSt", "1"}, {"segEn", "2"}},
                                            {{"s", "1"}, {"e", "2"}},
                                            {{"cut_from", "1"}, {"cut_to", "2"}},
                                            {{"from_ms", "100"}, {"to_ms", "900"}},
                                            {{"st_time", "1"}, {"ed_time", "2"}},
                                            {{"起点", "1"}, {"终点", "2"}},
                                            {{"timing", R"({"start":1,"end":2})"}},
                                            {{"start", "1"}, {"sentence_length", "7"}},
                                            {{"начало", "1"}, {"конец", "2"}},
                                            {{"timestamp", "\"0.5-1.5\""}},
                                            {{"Interval", "\"0.5 --> 1.5\""}},
                                            {{"in", "1"}, {"out", "2.5"}},
                                            {{"First", "1"}, {"Last", "\"2.5\""}},
                                            {{"segment", "[1.0, 2.5]"}},
                                            {{"segment", R"({"start":1,"end":2})"}},
                                            {{"clip", R"({"speaker":"a","offset":1,"duration":2})"}},
                                            {{"offset_bytes", "12"}},
                                            {{"speech_onset_x", "12"}}}) {
    EXPECT_THROW(times_of(fields), Error) << fields.front().first;
  }
}

/// Rows about two recordings, as members of JSON objects.
bool looks_like_times(const std::vector<std::vector<std::string>>& recordings) {
  LikelyTimes times;
  for (std::size_t i = 0; i < recordings.size(); ++i) {
    for (const std::string& facts : recordings[i]) times.learn("r" + std::to_string(i), facts);
  }
  try {
    times.check();
    return false;
  } catch (const Error&) {
    return true;
  }
}

TEST(LikelyTimes, AreTwoColumnsThatDivideTheAudio) {
  EXPECT_TRUE(
      looks_like_times({{R"("von":0,"bis":2.5)", R"("von":2.5,"bis":4)", R"("von":9.5,"bis":12,"x":1)"}}));
  EXPECT_TRUE(looks_like_times({{R"("in":"5","out":"7")", R"("in":"1","out":"4")"},
                                {R"("in":"0","out":"4")", R"("in":"4","out":"7")"}}));
}

TEST(LikelyTimes, AreNotAnyTwoNumbers) {
  EXPECT_FALSE(looks_like_times(
      {{R"("words":5,"letters":30)", R"("words":7,"letters":40)", R"("words":9,"letters":52)"}}));
  EXPECT_FALSE(looks_like_times({{R"("a":0,"b":1)"}, {R"("a":1,"b":2)"}, {R"("a":2,"b":3)"}}));
  EXPECT_FALSE(looks_like_times({{R"("a":0,"b":1)", R"("a":1)", R"("a":2,"b":3)"}}));
  EXPECT_FALSE(
      looks_like_times({{R"("id":1,"score":0.9)", R"("id":2,"score":0.8)", R"("id":3,"score":0.95)"}}));
  EXPECT_FALSE(looks_like_times({{R"("lang":"en")", R"("lang":"de")", R"("lang":"fr")"}}));
}

bool is_in_doubt(const std::vector<std::pair<double, double>>& stretches, bool has_unit = false) {
  UnitDoubt doubt;
  for (const auto& [begin, end] : stretches) doubt.learn(begin, end, has_unit);
  try {
    doubt.check();
  } catch (const Error&) {
    return true;
  }
  return false;
}

TEST(UnitDoubtTest, IsOfWholeNumbersThatWouldBeMinutes) {
  EXPECT_TRUE(is_in_doubt({{0, 2800}, {2800, 4000}, {4000, 4050}}));
  EXPECT_FALSE(is_in_doubt({{0, 2800}, {2800, 4000}, {4000, 4050}}, true));
  EXPECT_FALSE(is_in_doubt({{0, 2800}, {2800, 4000}, {4000, 4050.5}}));
  EXPECT_FALSE(is_in_doubt({{0, 5}, {5, 12}, {12, 130}}));
  EXPECT_FALSE(is_in_doubt({{0, 2800}, {2800, 4000}})) << "too few to say";
  EXPECT_FALSE(is_in_doubt({}));
}

}  // namespace
}  // namespace shardmill::source
