#include "source/corpora/tree_test.hpp"

namespace shardmill::source {
namespace {

TEST(ReazonSpeechTest, LargerTablesHoldTheRowsOfSmallerOnes) {
  ToldTree corpus(kReazonSpeech);
  EXPECT_TRUE(corpus.tell("tsv/small.tsv", "000/a.flac\tはい\n000/b.flac\tいいえ\n"));
  EXPECT_TRUE(corpus.tell("tsv/tiny.tsv", "000/a.flac\tはい\n"));
  EXPECT_FALSE(corpus.tell("tsv/other.tsv", "x"));
  EXPECT_THAT(corpus.says("data/000/a.flac"),
              ElementsAre(R"(a 'はい' {"language":"ja","lang":"ja","subset":"small tiny"})"));
  EXPECT_THAT(corpus.says("data/000/b.flac"), ElementsAre(HasSubstr(R"("subset":"small"})")));
}

TEST(ReazonSpeechTest, TablesThatContradictEachOther) {
  ToldTree corpus(kReazonSpeech);
  EXPECT_TRUE(corpus.tell("tsv/tiny.tsv", "000/a.flac\tはい\n"));
  EXPECT_THAT(corpus.problem("tsv/small.tsv", "000/a.flac\tいいえ\n"),
              HasSubstr("has another transcript in"));
  EXPECT_THAT(corpus.problem("tsv/all.tsv", "000/b.flac\tx\n000/b.flac\tx\n"),
              HasSubstr("line 2: 'b' is in it already"));
  EXPECT_THAT(corpus.problem("tsv/medium.tsv", "no audio\tx\n"),
              HasSubstr("is not a file name, a tab and a transcript"));
}

}  // namespace
}  // namespace shardmill::source
