#include "source/texts/tree_recordings.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace shardmill::source {
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
