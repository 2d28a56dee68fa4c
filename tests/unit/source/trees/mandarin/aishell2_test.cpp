#include "source/trees/tree_test.hpp"

namespace shardmill::source {
namespace {

TEST(Aishell2TreeTest, TrainingDataAndTheDevicesOfTheTests) {
  ToldTree corpus(CorpusKind::aishell2);
  EXPECT_TRUE(corpus.tell("AISHELL-2/iOS/data/trans.txt", "IC0001W0062\t听beat it\n"));
  EXPECT_FALSE(corpus.tell("AISHELL-2/iOS/data/wav.scp", "IC0001W0062\twav/C0001/IC0001W0062.wav\n"));
  EXPECT_TRUE(corpus.tell("AISHELL-DEV-TEST-SET/Android/dev/trans.txt", "AD0011W0228\tHere's\n"));
  EXPECT_TRUE(corpus.tell("AISHELL-DEV-TEST-SET/Mic/test/trans.txt", "MT0011W0001\t好\n"));
  EXPECT_THAT(corpus.says("AISHELL-2/iOS/data/wav/C0001/IC0001W0062.wav"),
              ElementsAre(R"(IC0001W0062 '听beat it' {"speaker":"C0001","device":"iOS","subset":"train"})"));
  EXPECT_THAT(corpus.says("AISHELL-DEV-TEST-SET/Android/dev/wav/D0011/AD0011W0228.wav"),
              ElementsAre(R"(AD0011W0228 'Here's' {"speaker":"D0011","device":"Android","subset":"dev"})"));
  EXPECT_THAT(corpus.says("AISHELL-DEV-TEST-SET/Mic/test/wav/T0011/MT0011W0001.wav"),
              ElementsAre(HasSubstr(R"("device":"Mic","subset":"test")")));
  EXPECT_THAT(corpus.lost(), IsEmpty());
}

TEST(Aishell2TreeTest, TheSameIdInTwoPartsIsTwoUtterances) {
  ToldTree corpus(CorpusKind::aishell2);
  corpus.tell("iOS/dev/trans.txt", "W0001\t一\n");
  corpus.tell("Mic/dev/trans.txt", "W0001\t二\n");
  EXPECT_THAT(corpus.says("iOS/dev/wav/D0001/W0001.wav"), ElementsAre(HasSubstr("'一'")));
  EXPECT_THAT(corpus.says("Mic/dev/wav/D0001/W0001.wav"), ElementsAre(HasSubstr("'二'")));
  EXPECT_THAT(corpus.problem("Mic/dev/trans.txt", "W0001\t三\n"),
              HasSubstr("line 1: 'Mic/dev/W0001' stands in line 1"));
}

TEST(Aishell2TreeTest, AudioWaitsForTheTextOfItsPart) {
  ToldTree corpus(CorpusKind::aishell2);
  corpus.tell("Mic/dev/trans.txt", "W0001\t一\n");
  EXPECT_THAT(corpus.says("iOS/dev/wav/D0001/W0001.wav"), ElementsAre("?"));
  EXPECT_EQ(corpus.corpus().awaited("iOS/dev/wav/D0001/W0001.wav"), "iOS/dev");
  corpus.tell("iOS/dev/trans.txt", "W0002\t一\n");
  EXPECT_THAT(corpus.says("iOS/dev/wav/D0001/W0001.wav"),
              ElementsAre(R"(W0001 {"speaker":"D0001","device":"iOS","subset":"dev"})"));
  EXPECT_EQ(corpus.lost().size(), 2u);
}

TEST(Aishell2TreeTest, LinesThatAreOdd) {
  ToldTree corpus(CorpusKind::aishell2);
  corpus.tell("data/trans.txt",
              "\xEF\xBB\xBF"
              "a\t听 Yesterday Once More\r\nb  \r\n");
  EXPECT_THAT(corpus.says("data/wav/C1/a.wav"), ElementsAre(HasSubstr("'听 Yesterday Once More'")));
  EXPECT_THAT(corpus.says("data/wav/C1/b.wav"), ElementsAre(HasSubstr("b ''")));
}

}  // namespace
}  // namespace shardmill::source
