#include "source/corpora/tree_test.hpp"

namespace shardmill::source {
namespace {

TEST(TalAsrTest, SpeakersAndSubsetsAreFolders) {
  ToldTree corpus(kTalAsr);
  EXPECT_TRUE(corpus.tell("aisolution_data/transcript/transcript.txt", "000001_1 第 一\n000002_2 第 二\n"));
  EXPECT_THAT(
      corpus.says("aisolution_data/wav/dev/CLASS_015/000002_2.wav"),
      ElementsAre(R"(000002_2 '第 二' {"speaker":"CLASS_015","language":"zh","lang":"zh","subset":"dev"})"));
  EXPECT_THAT(corpus.lost(), ElementsAre(HasSubstr("line 1: '000001_1' has a transcript")));
  EXPECT_THAT(corpus.problem("aisolution_data/transcript/transcript.txt", "000001_1 x\n"),
              HasSubstr("line 1"));
}

}  // namespace
}  // namespace shardmill::source
