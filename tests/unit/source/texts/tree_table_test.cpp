#include "source/texts/tree_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace shardmill::source {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(TreePaths, PartsFromTheEnd) {
  EXPECT_EQ(path_part("a/b/c.wav", 0), "c.wav");
  EXPECT_EQ(path_part("a/b/c.wav", 1), "b");
  EXPECT_EQ(path_part("a/b/c.wav", 2), "a");
  EXPECT_EQ(path_part("a/b/c.wav", 3), "");
  EXPECT_EQ(path_part("/a/b", 1), "a");
  EXPECT_EQ(path_part("/a/b", 2), "");
  EXPECT_EQ(path_part("", 0), "");
}

TEST(TreePaths, FoldersAndStems) {
  EXPECT_EQ(folder_of("a/b/c.wav"), "a/b");
  EXPECT_EQ(folder_of("/c.wav"), "");
  EXPECT_EQ(folder_of("c.wav"), "");
  EXPECT_EQ(stem_of("a/b.c/2009-09:00:12.ogg"), "2009-09:00:12");
  EXPECT_EQ(stem_of("a/b.c/d"), "d");
  EXPECT_EQ(stem_of("a/.hidden"), ".hidden");
}

TEST(TreePaths, TheFolderClosestToTheFile) {
  const std::vector<std::string_view> splits{"train", "dev", "test"};
  EXPECT_EQ(folder_among("x/train/S1/a.wav", splits), "train");
  EXPECT_EQ(folder_among("test/x/train/S1/a.wav", splits), "train");
  // The name of the file itself is no folder, and a part of a name is not the name.
  EXPECT_EQ(folder_among("x/train", splits), "");
  EXPECT_EQ(folder_among("doctor/a.wav", splits), "");
  EXPECT_EQ(folder_among("a.wav", splits), "");
}

TEST(WholeTranscript, AllLinesWithoutTheBlankOnes) {
  const auto whole = [](std::string_view content) {
    return whole_transcript({.path = "a.txt", .place = "a.txt", .content = content});
  };
  EXPECT_EQ(whole(""), "");
  EXPECT_EQ(whole(" one \r\n"), "one");
  EXPECT_EQ(whole("one\n\n two"), "one\ntwo");
}

/// Lines are handed to it one by one: "ID TEXT".
class SmallTable : public TreeTable {
 public:
  using TreeTable::add;
  using TreeTable::has;
  using TreeTable::Row;
  using TreeTable::set_gender;

  explicit SmallTable(TreeOptions options)
      : TreeTable(std::move(options), {.transcripts = "text",
                                       .speakers = "speakers",
                                       .may_be_above = true,
                                       .covers = TableFiles::Covers::folder}) {}

  std::string_view awaited(std::string_view path) const override { return folder_of(path); }

  std::string listed_in_{};

 private:
  std::string listed_in(std::string_view) const override { return listed_in_; }
  void describe(std::string_view, const Row* row, TreeUtterance& utterance) const override {
    if (row == nullptr) utterance.facts.text("origin", "nowhere");
  }
};

const TreeText kText{.path = "train/text", .place = "x.tar!train/text", .content = {}};

std::vector<std::string> lost(const TreeCorpus& corpus) {
  std::vector<std::string> lines;
  corpus.report_rest(
      [&](const LostAudio& one) { lines.push_back(std::string(one.key) + "|" + one.error.what()); });
  return lines;
}

TEST(TreeTableTest, ARowBecomesAnUtterance) {
  SmallTable table(TreeOptions{});
  SmallTable::Row& row = table.add("a", "some text", kText, 7);
  row.speaker = "S1";
  row.subsets = {"train", "small"};
  row.facts.text("age", "teens");
  table.set_gender("S1", "F");
  table.set_gender("S1", "M");  // What was said first holds.
  table.set_gender("", "M");
  EXPECT_TRUE(table.has("a"));
  EXPECT_FALSE(table.has("b"));
  const auto found = table.find("train/a.wav");
  ASSERT_TRUE(found.has_value());
  ASSERT_EQ(found->size(), 1u);
  EXPECT_EQ(found->front().key, "a");
  EXPECT_EQ(found->front().text, "some text");
  EXPECT_EQ(found->front().members(), R"("speaker":"S1","gender":"F","age":"teens","subset":"train small")");
  EXPECT_THAT(lost(table), IsEmpty());
}

TEST(TreeTableTest, NobodyCanSayUntilTheTextsOfTheFolderWereRead) {
  SmallTable table(TreeOptions{});
  EXPECT_FALSE(table.find("train/a.wav").has_value());
  table.read({.path = "train/text", .place = "train/text", .content = "b some text\n"});
  EXPECT_FALSE(table.find("dev/a.wav").has_value());
  const auto found = table.find("train/a.wav");
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->front().text, std::nullopt);
  EXPECT_EQ(found->front().members(), R"("origin":"nowhere")");
  table.all_read();
  EXPECT_TRUE(table.find("dev/a.wav").has_value());
}

TEST(TreeTableTest, TextsByTheirNames) {
  const SmallTable table(TreeOptions{});
  EXPECT_EQ(table.role("x/text"), TreeCorpus::Role::text);
  EXPECT_EQ(table.role("speakers"), TreeCorpus::Role::text);
  EXPECT_EQ(table.role("x/a.wav"), TreeCorpus::Role::audio);
  EXPECT_EQ(table.role("x/text.txt"), TreeCorpus::Role::other);
  EXPECT_EQ(table.above("text"), TreeCorpus::Above::transcripts);
  EXPECT_EQ(table.above("speakers"), TreeCorpus::Above::remarks);
  EXPECT_EQ(table.above("a.wav"), TreeCorpus::Above::no);
  EXPECT_TRUE(table.awaits_remarks());
}

TEST(TreeTableTest, AnEmptyTextIsATextToo) {
  SmallTable table(TreeOptions{});
  table.add("a", "", kText, 1);
  EXPECT_EQ(table.find("a.wav")->front().text, "");
}

TEST(TreeTableTest, TheSameIdTwice) {
  SmallTable table(TreeOptions{});
  table.add("a", "x", kText, 3);
  try {
    table.add("a", "x", {.path = "dev/text", .place = "x.tar!dev/text", .content = {}}, 1);
    ADD_FAILURE() << "an id may stand in the table only once";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "'a' is in line 3 of x.tar!train/text already");
  }
}

TEST(TreeTableTest, AudioThatATableMustListIsLostWithoutIt) {
  for (const bool needs_tables : {false, true}) {
    for (const char* listed_in : {"", "train.tsv"}) {
      SmallTable table(TreeOptions{.needs_tables = needs_tables});
      table.listed_in_ = listed_in;
      table.all_read();
      // Where there is no table at all, other words say so.
      EXPECT_EQ(table.find("train/b.wav")->front().lacks, "");
      table.add("a", "x", kText, 1);
      const bool is_lost = needs_tables && *listed_in != 0;
      EXPECT_EQ(table.find("train/b.wav")->front().is_unlisted, is_lost);
      EXPECT_EQ(table.find("train/b.wav")->front().lacks,
                is_lost ? "no table lists it: train.tsv may be missing or cut" : "");
      EXPECT_EQ(table.find("train/a.wav")->front().lacks, "");
    }
  }
}

TEST(TreeTableTest, RowsThatNobodyAskedForAreLost) {
  SmallTable table(TreeOptions{.subsets = {"train"}});
  table.add("a", "x", kText, 1).subsets = {"train-clean"};
  table.add("b", "x", kText, 2).subsets = {"dev"};
  table.add("c", "x", {.path = "c.txt", .place = "c.txt", .content = {}});
  table.add("d\n", "x", kText, 4);
  table.find("c2/d\n.wav");
  EXPECT_THAT(lost(table),
              ElementsAre("a|x.tar!train/text: line 1: 'a' has a transcript, but there is no such audio",
                          "c|c.txt: 'c' has a transcript, but there is no such audio"));
}

}  // namespace
}  // namespace shardmill::source
