#include "source/texts/captions.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace shardmill::source {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> captions(std::string_view content) {
  std::vector<std::string> lines;
  for (const Caption& each : captions_in({.path = "x.vtt", .place = "x.vtt", .content = content}))
    lines.push_back(fmt::format("{} {} {}", each.begin, each.end, each.words));
  return lines;
}

std::string problem(std::string_view content) {
  try {
    return fmt::format("no problem: {}", fmt::join(captions(content), ", "));
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(CaptionsTest, CuesWithNamesAndSettings) {
  EXPECT_THAT(captions("\xEF\xBB\xBFWEBVTT - a talk\r\nKind: captions\r\nLanguage: es\r\n\r\n"
                       "1\r\n00:00:00.250 --> 00:00:01.750 align:start\r\nUno\r\n dos.\r\n\r\n\r\n"
                       "01:02.500\t-->01:03.000\r\n\r\n"
                       "two words\r\n100:00:00.000 --> 100:00:01.000\r\nTres -> 4:30."),
              ElementsAre("0.25 1.75 Uno dos.", "62.5 63 ", "360000 360001 Tres -> 4:30."));
}

TEST(CaptionsTest, CuesBeginAtTheirTimesAlsoWhereABlankLineIsMissing) {
  EXPECT_THAT(captions("WEBVTT\n00:00:00.250 --> 00:00:01.750\nUno\n00:00:02.050 --> 00:00:03.650\ndos\n"),
              ElementsAre("0.25 1.75 Uno", "2.05 3.65 dos"));
}

TEST(CaptionsTest, CommentsAndStylesEndAtABlankLine) {
  EXPECT_THAT(captions("WEBVTT\n\nSTYLE\n::cue { color: red }\n\nREGION\nid:a\n\n"
                       "NOTE 00:00:00.000 --> 00:00:01.000\nhello --> 00:00:09.000\n\n"
                       "00:00:00.250 --> 00:00:01.750\nUno.\nNOTE that\n\nNOTE\nthe end\n"),
              ElementsAre("0.25 1.75 Uno. NOTE that"));
}

TEST(CaptionsTest, DamagedTimes) {
  for (const char* const line :
       {"00:00:02.050 -> 00:00:03.650", "--> 00:00:03.650", "-> 00:00:03.650", "00:00:02.050 -->",
        "00:00:02.050 00:00:03.650", "00:00:03.650", "00:00:02050 -> 00:00:03650", "0:02.050 -> 00:00:03.650",
        "00:00:02.050 --> 00:00:03.65", "00:00:02.050 --> 00:00:3.650", "00:00:02,050 --> 00:00:03,650",
        "00:00:62.050 --> 00:00:63.650", "00:00:00:02.050 --> 00:00:03.650", ":00:02.050 --> 00:00:03.650",
        "x0:00:02.050 - 00:00:03.650", "-00:02.050 --> 00:00:03.650"}) {
    SCOPED_TRACE(line);
    const std::string above = "WEBVTT\n\n00:00:00.250 --> 00:00:01.750\nUno.\n";
    const std::string below = std::string(line) + "\nDos.\n\n00:00:03.850 --> 00:00:05.550\nTres.\n";
    EXPECT_THAT(problem(above + "\n" + below),
                AllOf(HasSubstr("x.vtt"), HasSubstr("line 6: "), HasSubstr(line)));
    EXPECT_THAT(problem(above + below), AllOf(HasSubstr("x.vtt"), HasSubstr("line 5: "), HasSubstr(line)));
    EXPECT_THAT(problem(below), AllOf(HasSubstr("x.vtt"), HasSubstr("line 1: "), HasSubstr(line)));
  }
}

TEST(CaptionsTest, TextWithoutTimes) {
  constexpr const char* kAbove = "WEBVTT\n\n00:00:00.250 --> 00:00:01.750\nUno.\n\n";
  for (const char* const below : {"Dos.\n\n00:00:03.850 --> 00:00:05.550\nTres.\n", "Dos.\nTres.\n", "Dos."})
    EXPECT_THAT(problem(std::string(kAbove) + below),
                HasSubstr("x.vtt: line 6: is text without times above it"));
}

}  // namespace
}  // namespace shardmill::source
