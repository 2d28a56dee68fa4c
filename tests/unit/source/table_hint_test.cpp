// Source: table_hint.cpp, whose functions source/missing_text.hpp declares.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "source/missing_text.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::source {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class TableHintTest : public ::testing::Test {
 protected:
  testing::TemporaryFolder folder_;
};

TEST_F(TableHintTest, TablesThatFitTheAudio) {
  folder_.write("d/a.wav", "x");
  EXPECT_FALSE(table_for(folder_.file("d")).has_value());
  folder_.write("d/other.csv", "key,text\nz,one\n");
  EXPECT_FALSE(table_for(folder_.file("d")).has_value());
  const std::string texts = folder_.write("d/texts.csv", "key,text\na,one\n");
  auto hint = table_for(folder_.file("d"));
  ASSERT_TRUE(hint.has_value());
  EXPECT_THAT(hint->paths, ElementsAre(texts));
  EXPECT_FALSE(hint->cuts_audio);
  EXPECT_FALSE(table_for(folder_.file("none")).has_value());
}

TEST_F(TableHintTest, ATableThatCutsTheAudio) {
  folder_.write("d/a.wav", "x");
  const std::string labels = folder_.write("d/l.jsonl", R"({"audio":"x/a.wav","start":1,"end":2,"text":"t"})"
                                                        "\n");
  const auto hint = table_for(folder_.file("d"));
  ASSERT_TRUE(hint.has_value());
  EXPECT_THAT(hint->paths, ElementsAre(labels));
  EXPECT_TRUE(hint->cuts_audio);
}

TEST_F(TableHintTest, TablesBesideAnArchive) {
  const std::string archive = folder_.write("x.tar", "x");
  EXPECT_THAT(tables_beside(archive), IsEmpty());
  const std::string table = folder_.write("x.tsv", "path\ttext\na.wav\tone\n");
  folder_.write("other.tsv", "word\tcount\nx\t1\n");
  folder_.write("broken.jsonl", "{");
  EXPECT_THAT(tables_beside(archive), ElementsAre(table));
}

TEST_F(TableHintTest, TheColumnThatLooksMostLikeATranscript) {
  const auto table = look_into_table(
      folder_.write("t.csv", "path,spoken,speaker\na.wav,many words are here,S1\nb.wav,and some,S2\n"));
  ASSERT_TRUE(table.has_value());
  EXPECT_EQ(table->columns, "spoken, speaker");
  EXPECT_EQ(table->likely_text, "spoken");
  const auto named = look_into_table(
      folder_.write("n.csv", "Filename;Utterance\na.wav;many words\nb.wav;\nc.wav;and some\n"));
  ASSERT_TRUE(named.has_value());
  EXPECT_EQ(named->likely_text, "Utterance");
  EXPECT_FALSE(look_into_table(folder_.write("u.csv", "path,text\na.wav,x\n")).has_value());
  EXPECT_FALSE(look_into_table(folder_.file("none.csv")).has_value());
}

}  // namespace
}  // namespace shardmill::source
