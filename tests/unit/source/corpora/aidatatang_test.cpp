#include "source/corpora/tree_test.hpp"

namespace shardmill::source {
namespace {

constexpr std::string_view kAidatatangTranscript =
    "aidatatang_200zh/transcript/aidatatang_200_zh_transcript.txt";

TEST(AidatatangTest, OneTranscriptForAllSpeakers) {
  ToldTree corpus(kAidatatang);
  EXPECT_TRUE(corpus.tell(kAidatatangTranscript, "T0055G0002S0001 以后 你 是 男孩子\nT0055G0012S0002 好\n"));
  // Each wav has its text beside it, once more.
  EXPECT_FALSE(corpus.tell("aidatatang_200zh/corpus/train/G0002/T0055G0002S0001.txt", "以后你是男孩子"));
  EXPECT_FALSE(corpus.tell("aidatatang_200zh/corpus/train/G0002/T0055G0002S0001.metadata", "SEX\tFemale"));
  EXPECT_THAT(corpus.says("aidatatang_200zh/corpus/train/G0002/T0055G0002S0001.wav"),
              ElementsAre(R"(T0055G0002S0001 '以后 你 是 男孩子' {"speaker":"G0002","subset":"train"})"));
  EXPECT_THAT(corpus.says("aidatatang_200zh/corpus/dev/G0012/T0055G0012S0002.wav"),
              ElementsAre(R"(T0055G0012S0002 '好' {"speaker":"G0012","subset":"dev"})"));
  EXPECT_THAT(corpus.lost(), IsEmpty());
  EXPECT_EQ(corpus.corpus().packed(), TreeCorpus::Packed::by_name);
}

TEST(AidatatangTest, AudioWaitsForTheTranscript) {
  ToldTree corpus(kAidatatang);
  EXPECT_THAT(corpus.says("corpus/test/G1/x.wav"), ElementsAre("?"));
  corpus.tell(kAidatatangTranscript, "y 好\n");
  EXPECT_THAT(corpus.says("corpus/test/G1/x.wav"), ElementsAre(R"(x {"speaker":"G1","subset":"test"})"));
  EXPECT_THAT(corpus.lost(),
              ElementsAre(HasSubstr("line 1: 'y' has a transcript, but there is no such audio")));
}

TEST(AidatatangTest, LinesThatMakeNoSense) {
  const auto problem = [](std::string_view content) {
    return ToldTree(kAidatatang).problem(kAidatatangTranscript, content);
  };
  EXPECT_EQ(problem("x\t好 \r\n\r\n  y 好\n"), "no problem");
  EXPECT_THAT(problem("x 好\nx 坏\n"), HasSubstr("line 2: 'x' is in line 1 of"));
  EXPECT_THAT(problem(std::string_view("x \0\n", 4)),
              HasSubstr("line 1: column 3: is the control character 0x00"));
}

}  // namespace
}  // namespace shardmill::source
