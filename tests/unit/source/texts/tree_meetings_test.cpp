#include "source/texts/tree_meetings.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.hpp"

namespace shardmill::source {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> intervals_of(std::string_view content) {
  std::vector<std::string> lines;
  for (const GridInterval& each : read_text_grid({.path = "g", .place = "g.TextGrid", .content = content})) {
    lines.push_back(fmt::format("{} {} [{} {}] '{}' line {}", each.tier, each.number, each.begin_seconds,
                                each.end_seconds, each.text, each.line));
  }
  return lines;
}

std::string problem_of_grid(std::string_view content) {
  try {
    intervals_of(content);
  } catch (const Error& error) {
    return error.what();
  }
  return "no problem";
}

constexpr std::string_view kGrid = R"(File type = "ooTextFile"
Object class = "TextGrid"

xmin = 0
xmax = 3
tiers? <exists>
size = 2
item []:
    item [1]:
        class = "IntervalTier"
        name = "001"
        xmin = 0
        xmax = 3
        intervals: size = 3
        intervals [1]:
            xmin = 0
            xmax = 0.5
            text = ""
        intervals [2]:
            xmin = 0.5
            xmax = 1.25
            text = "他说 ""好"""
        intervals [3]:
            xmin = 1.25
            xmax = 3
            text = "  "
    item [2]:
        class = "IntervalTier"
        name = "00""2"
        xmin = 0
        xmax = 3
        intervals: size = 1
        intervals [1]:
            xmin = 1e-1
            xmax = 3
            text = "two
lines"
)";

TEST(TextGridTest, IntervalsWithTextAndTheirTiers) {
  const std::vector<std::string> expected{R"(001 1 [0.5 1.25] '他说 "好"' line 22)",
                                          "00\"2 0 [0.1 3] 'two lines' line 36"};
  EXPECT_EQ(intervals_of(kGrid), expected);
  // The same with the line ends of Windows.
  std::string windows = "\xEF\xBB\xBF";
  for (const char c : kGrid) windows += c == '\n' ? "\r\n" : std::string(1, c);
  EXPECT_EQ(intervals_of(windows), expected);
}

TEST(TextGridTest, PointsAreNoIntervals) {
  EXPECT_THAT(
      intervals_of(
          "File type = \"ooTextFile\"\nsize = 1\nitem []:\nitem [1]:\nclass = \"TextTier\"\nname = \"p\"\n"
          "points: size = 1\npoints [1]:\nnumber = 0.5\nmark = \"x\"\n"),
      IsEmpty());
}

TEST(TextGridTest, WhatIsNoTextGrid) {
  EXPECT_THAT(problem_of_grid(""), HasSubstr("g.TextGrid: is no TextGrid"));
  EXPECT_THAT(problem_of_grid("0 1 hello\n"), HasSubstr("is no TextGrid"));
  EXPECT_THAT(problem_of_grid("\xFE\xFF"), HasSubstr("is UTF-16"));
}

TEST(TextGridTest, TheShortFormIsNotTakenForAnEmptyGrid) {
  EXPECT_THAT(problem_of_grid("File type = \"ooTextFile\"\nObject class = \"TextGrid\"\n\n0\n1\n<exists>\n1\n"
                              "\"IntervalTier\"\n\"001\"\n0\n1\n1\n0\n1\n\"text\"\n"),
              HasSubstr("g.TextGrid: line 6: is a TextGrid in the short form"));
}

TEST(TextGridTest, AFileThatIsCutAnywhereIsNoShorterGrid) {
  // Behind the last quote nothing is lost.
  const std::string_view needed = kGrid.substr(0, kGrid.rfind('"') + 1);
  for (std::size_t size = 0; size < needed.size(); ++size)
    EXPECT_NE(problem_of_grid(needed.substr(0, size)), "no problem") << "cut at byte " << size;
  EXPECT_EQ(problem_of_grid(needed), "no problem");
  EXPECT_EQ(problem_of_grid(kGrid.substr(0, kGrid.find("        intervals [3]"))),
            "g.TextGrid: is cut: tier '001' has 2 of 3 intervals");
  EXPECT_EQ(problem_of_grid(kGrid.substr(0, kGrid.find("    item [2]"))),
            "g.TextGrid: is cut: it has 1 of 2 tiers");
  EXPECT_EQ(problem_of_grid(kGrid.substr(0, kGrid.find("size = 2"))),
            "g.TextGrid: is cut: it does not say how many tiers it has");
}

TEST(TextGridTest, AGridWithoutTiersIsWhole) {
  EXPECT_THAT(intervals_of("File type = \"ooTextFile\"\nxmin = 0\nxmax = 1\ntiers? <absent>\n"), IsEmpty());
}

TEST(TextGridTest, CountsThatAreNone) {
  std::string grid(kGrid);
  EXPECT_THAT(problem_of_grid(grid.replace(grid.find("size = 2"), 8, "size = two")),
              HasSubstr("g.TextGrid: line 7: 'two' is not a count"));
  grid = kGrid;
  EXPECT_THAT(problem_of_grid(grid.replace(grid.find("size = 3"), 8, "size = 99999999999999999999")),
              HasSubstr("line 14: '99999999999999999999' is not a count"));
}

TEST(TextGridTest, TimesThatAreNone) {
  const auto with_end = [](std::string_view end) {
    std::string grid(kGrid);
    grid.replace(grid.find("1.25"), 4, end);
    return problem_of_grid(grid);
  };
  EXPECT_THAT(with_end("soon"), HasSubstr("g.TextGrid: line 21: 'soon' is not a number of seconds"));
  EXPECT_THAT(with_end(""), HasSubstr("line 21: '' is not a number of seconds"));
  EXPECT_THAT(with_end("inf"), HasSubstr("'inf' is not a number of seconds"));
  EXPECT_THAT(with_end("1.25s"), HasSubstr("'1.25s' is not a number of seconds"));
  EXPECT_THAT(with_end("1e300"), HasSubstr("'1e300' is not a number of seconds"));
}

TEST(SecondsFrom, NumbersOfAnyForm) {
  EXPECT_EQ(seconds_from("0"), 0);
  EXPECT_EQ(seconds_from("16.250"), 16.25);
  EXPECT_EQ(seconds_from("-1"), -1);
  EXPECT_EQ(seconds_from("1e9"), 1e9);
  for (const char* none : {"", " 1", "1 ", "+1", "0x1", "nan", "1e10", "-inf"})
    EXPECT_THROW(seconds_from(none), Error) << none;
}

}  // namespace
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const TreeText kList{.path = "list", .place = "x.tar!list", .content = {}};

/// Segments are handed to it one by one.
class SmallRecordings : public TreeRecordings {
 public:
  using TreeRecordings::has;
  using TreeRecordings::set_read;
  using TreeRecordings::TreeRecordings;

  Role role(std::string_view) const override { return Role::audio; }
  void read(const TreeText&) override {}
  std::string cut_by(std::string_view) const override { return "list"; }
  void add(std::string_view id, std::string_view key, double begin, double end,
           std::string_view subsets = {}) {
    recording(id, kList).segments.push_back({.key = keep(key),
                                             .text = keep("text of " + std::string(key)),
                                             .facts = R"("lang":"zh")",
                                             .subsets = keep(subsets),
                                             .begin_seconds = begin,
                                             .end_seconds = end,
                                             .line = 5});
  }
};

std::vector<std::string> lost_recordings(const TreeCorpus& corpus) {
  std::vector<std::string> lines;
  corpus.report_rest(
      [&](const LostAudio& one) { lines.push_back(fmt::format("{} x {}", one.samples, one.error.what())); });
  return lines;
}

TEST(TreeRecordingsTest, SegmentsOfARecording) {
  SmallRecordings corpus(TreeOptions{});
  corpus.add("r1", "r1-a", 0.25, 1, "L  M");
  corpus.add("r1", "r1-b", 1, 3);
  const auto found = corpus.find("x/r1.opus");
  ASSERT_TRUE(found.has_value());
  ASSERT_EQ(found->size(), 2u);
  const TreeUtterance& first = found->front();
  EXPECT_EQ(first.key, "r1-a");
  EXPECT_EQ(first.text, "text of r1-a");
  EXPECT_EQ(first.begin_seconds, 0.25);
  EXPECT_EQ(first.end_seconds, 1);
  EXPECT_EQ(first.seconds, 0.75);
  EXPECT_EQ(first.named_in, "x.tar!list");
  EXPECT_EQ(first.line, 5u);
  EXPECT_THAT(first.subsets, ElementsAre("L", "M"));
  EXPECT_EQ(first.members(), R"("lang":"zh","subset":"L M")");
  EXPECT_THAT(found->back().subsets, IsEmpty());
  EXPECT_THAT(lost_recordings(corpus), IsEmpty());
}

TEST(TreeRecordingsTest, ALinkToTheSameAudioHoldsNothing) {
  SmallRecordings corpus(TreeOptions{});
  corpus.add("r1", "r1-a", 0, 1);
  EXPECT_EQ(corpus.find("data/r1.sph")->size(), 1u);
  EXPECT_THAT(*corpus.find("train/r1.sph"), IsEmpty());
  // Who asks for the same file again gets the same answer: audio that waits is asked for several times.
  EXPECT_EQ(corpus.find("data/r1.sph")->size(), 1u);
}

TEST(TreeRecordingsTest, ARecordingThatIsNotListed) {
  SmallRecordings corpus(TreeOptions{});
  corpus.add("r1", "r1-a", 0, 1);
  EXPECT_FALSE(corpus.find("r2.opus").has_value());
  corpus.set_read();
  const auto found = corpus.find("x/r2.opus");
  ASSERT_TRUE(found.has_value());
  ASSERT_EQ(found->size(), 1u);
  EXPECT_EQ(found->front().key, "r2");
  EXPECT_EQ(found->front().text, std::nullopt);
  EXPECT_EQ(found->front().end_seconds, CorpusUtterance::kToTheEnd);
}

TEST(TreeRecordingsTest, AudioThatIsMissing) {
  SmallRecordings corpus(TreeOptions{.subsets = {"M"}});
  corpus.add("r3", "a", 0, 1, "L");
  corpus.add("r2", "b", 0, 1, "L");
  corpus.add("r2", "c", 1, 2, "L M");
  corpus.add("r1", "d", 0, 1);
  corpus.add("r4", "e", 0, 1, "M");
  corpus.add("r4", "f", 1, 2, "M");
  EXPECT_THAT(lost_recordings(corpus),
              ElementsAre("1 x x.tar!list: 'r2' has 1 transcribed segment, but there is no such audio",
                          "1 x x.tar!list: 'r1' has 1 transcribed segment, but there is no such audio",
                          "2 x x.tar!list: 'r4' has 2 transcribed segments, but there is no such audio"));
}

TEST(TreeRecordingsTest, WhatNothingCutsIsLostWhereSegmentsAreNeeded) {
  for (const bool needs_tables : {false, true}) {
    SmallRecordings corpus(TreeOptions{.needs_tables = needs_tables});
    corpus.all_read();
    const auto found = corpus.find("x/r1.opus");
    ASSERT_TRUE(found.has_value());
    ASSERT_EQ(found->size(), 1u);
    EXPECT_EQ(found->front().key, "r1");
    EXPECT_EQ(found->front().lacks, needs_tables ? "there is no list with its words and their times" : "");
  }
}

}  // namespace
}  // namespace shardmill::source
