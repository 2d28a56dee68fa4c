#include "source/corpora/tree_test.hpp"

namespace shardmill::source {
namespace {

TEST(SpgiSpeechTest, CallsHaveTheSameNumbers) {
  ToldTree corpus(kSpgiSpeech);
  EXPECT_TRUE(corpus.tell("spgispeech/train.csv",
                          "wav_filename|wav_filesize|transcript\n0ab/1.wav|9|One.\n0cd/1.wav|9|Two.\n"));
  EXPECT_THAT(
      corpus.says("spgispeech/train/0cd/1.wav"),
      ElementsAre(R"(0cd_1 'Two.' {"recording":"0cd","language":"en","lang":"en","subset":"train"})"));
  EXPECT_THAT(corpus.lost(), ElementsAre(HasSubstr("line 2: '0ab_1' has a transcript")));
  EXPECT_THAT(corpus.says("spgispeech/val/0ef/1.wav"), ElementsAre("?"));
}

TEST(SpgiSpeechTest, TablesThatMakeNoSense) {
  EXPECT_THAT(ToldTree(kSpgiSpeech).problem("x/val.csv", "file|transcript\n"), HasSubstr("wav_filename"));
  EXPECT_THAT(ToldTree(kSpgiSpeech).problem("x/val.csv", "wav_filename|wav_filesize|transcript\na/1.wav\n"),
              HasSubstr("line 2: has "));
  EXPECT_THAT(ToldTree(kSpgiSpeech).lost(), IsEmpty());
}

}  // namespace
}  // namespace shardmill::source
