#include "source/corpora/tree_test.hpp"

namespace shardmill::source {
namespace {

TEST(KsponSpeechTest, TextsWithoutTheirMarks) {
  ToldTree corpus(kKsponSpeech);
  corpus.tell("K/scripts/train.trn",
              "K_01/K_0001/K_000001.pcm :: b/ 아/ (70%)/(칠 십 퍼센트) 그+ 그래서 n/\n"
              "K_01/K_0001/K_000002.pcm :: (가) (나) / (다)/(라) 마*\n");
  EXPECT_THAT(corpus.says("K/K_01/K_0001/K_000001.pcm"),
              ElementsAre(R"(K_000001 '아 70% 그 그래서' {"language":"ko","lang":"ko","subset":"train"})"));
  EXPECT_THAT(corpus.says("K/K_01/K_0001/K_000002.pcm"),
              ElementsAre(R"(K_000002 '(가) 나(라) 마' {"language":"ko","lang":"ko","subset":"train"})"));
}

TEST(KsponSpeechTest, LinesThatCannotBeRead) {
  EXPECT_THAT(ToldTree(kKsponSpeech).problem("x/train.trn", "a.pcm text\n"),
              HasSubstr("line 1: has no \" :: \""));
}

}  // namespace
}  // namespace shardmill::source
