#include "source/corpora/tree_test.hpp"
#include "source/corpus_test.hpp"

namespace shardmill::source {
namespace {

class Aishell2Test : public CorpusTest {};

TEST(Aishell2TreeTest, TrainingDataAndTheDevicesOfTheTests) {
  ToldTree corpus(kAishell2);
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
  ToldTree corpus(kAishell2);
  corpus.tell("iOS/dev/trans.txt", "W0001\t一\n");
  corpus.tell("Mic/dev/trans.txt", "W0001\t二\n");
  EXPECT_THAT(corpus.says("iOS/dev/wav/D0001/W0001.wav"), ElementsAre(HasSubstr("'一'")));
  EXPECT_THAT(corpus.says("Mic/dev/wav/D0001/W0001.wav"), ElementsAre(HasSubstr("'二'")));
  EXPECT_THAT(corpus.problem("Mic/dev/trans.txt", "W0001\t三\n"),
              HasSubstr("line 1: 'Mic/dev/W0001' is in line 1"));
}

TEST(Aishell2TreeTest, AudioWaitsForTheTextOfItsPart) {
  ToldTree corpus(kAishell2);
  corpus.tell("Mic/dev/trans.txt", "W0001\t一\n");
  EXPECT_THAT(corpus.says("iOS/dev/wav/D0001/W0001.wav"), ElementsAre("?"));
  EXPECT_EQ(corpus.corpus().awaited("iOS/dev/wav/D0001/W0001.wav"), "iOS/dev");
  corpus.tell("iOS/dev/trans.txt", "W0002\t一\n");
  EXPECT_THAT(corpus.says("iOS/dev/wav/D0001/W0001.wav"),
              ElementsAre(R"(W0001 {"speaker":"D0001","device":"iOS","subset":"dev"})"));
  EXPECT_EQ(corpus.lost().size(), 2u);
}

TEST(Aishell2TreeTest, LinesThatAreOdd) {
  ToldTree corpus(kAishell2);
  corpus.tell("data/trans.txt",
              "\xEF\xBB\xBF"
              "a\t听 Yesterday Once More\r\nb  \r\n");
  EXPECT_THAT(corpus.says("data/wav/C1/a.wav"), ElementsAre(HasSubstr("'听 Yesterday Once More'")));
  EXPECT_THAT(corpus.says("data/wav/C1/b.wav"), ElementsAre(HasSubstr("b ''")));
}

TEST_F(Aishell2Test, WithAndWithoutWavScp) {
  folder_.write("y/iOS/data/trans.txt", "IC0001W0001\t厨房用品\nIC0001W0002\tx\n");
  folder_.write("y/iOS/data/wav.scp",
                "IC0001W0002\twav/C0001/IC0001W0002.wav\nIC0001W0001\twav/C0001/IC0001W0001.wav\n");
  folder_.write("y/iOS/data/wav/C0001/IC0001W0001.wav", "x");
  folder_.write("y/iOS/data/wav/C0001/IC0001W0002.wav", "x");
  const std::string facts = R"({"speaker":"C0001","device":"iOS","subset":"train"})";
  EXPECT_THAT(lines_of(read_as(kAishell2, "y/iOS/data"), folder_),
              ElementsAre("y/iOS/data/wav/C0001/IC0001W0001.wav IC0001W0001 '厨房用品' " + facts,
                          "y/iOS/data/wav/C0001/IC0001W0002.wav IC0001W0002 'x' " + facts));
  folder_.write("y/Mic/dev/trans.txt", "M1 a\nM2 b\n");
  folder_.write("y/Mic/dev/wav/D1/M1.wav", "x");
  const CorpusFiles files = read_as(kAishell2, "y");
  EXPECT_EQ(lines_of(files, folder_).front(),
            R"(y/Mic/dev/wav/D1/M1.wav M1 'a' {"speaker":"D1","device":"Mic","subset":"dev"})");
  EXPECT_EQ(lines_of(files, folder_).size(), 3u);
  EXPECT_THAT(
      unusable_lines(files),
      ElementsAre(EndsWith("Mic/dev/trans.txt: line 2: 'M2' has a transcript, but there is no such audio")));
  EXPECT_THAT(problem_of_corpus(kAishell2, folder_.file("y/Mic/dev/wav")), HasSubstr("is not AISHELL-2"));
}

}  // namespace
}  // namespace shardmill::source
