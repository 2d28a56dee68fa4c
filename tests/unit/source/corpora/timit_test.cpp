#include "source/corpora/tree_test.hpp"

namespace shardmill::source {
namespace {

TEST(TimitTest, InCapitalsAndNot) {
  for (const std::string& base :
       {std::string("TIMIT/TRAIN/DR1/FCJF0/SA1"), std::string("x/data/train/dr1/fcjf0/sa1")}) {
    const bool is_large = base.starts_with("TIMIT");
    ToldTree corpus(kTimit);
    EXPECT_TRUE(corpus.tell(base + (is_large ? ".TXT" : ".txt"), "0 46797 She had your dark suit.\n"));
    EXPECT_THAT(
        corpus.says(base + (is_large ? ".WAV" : ".wav")),
        ElementsAre(is_large ? R"(FCJF0_SA1 'She had your dark suit.' {"speaker":"FCJF0","gender":"F",)"
                               R"("dialect":"DR1","language":"en","lang":"en","subset":"train"})"
                             : R"(fcjf0_sa1 'She had your dark suit.' {"speaker":"fcjf0","gender":"f",)"
                               R"("dialect":"dr1","language":"en","lang":"en","subset":"train"})"));
    EXPECT_THAT(corpus.says(base + ".WAV.wav"), ElementsAre("no audio"));
    EXPECT_THAT(corpus.lost(), IsEmpty());
  }
}

TEST(TimitTest, ATextWithoutItsNumbers) {
  EXPECT_THAT(ToldTree(kTimit).problem("TRAIN/DR1/FCJF0/SA1.TXT", "She had your dark suit.\n"),
              HasSubstr("SA1.TXT: does not start with"));
  EXPECT_EQ(ToldTree(kTimit).problem("DOC/SPKRINFO.TXT", "a\n"), "is not read");
}

}  // namespace
}  // namespace shardmill::source
