#include "source/trees/tree_test.hpp"

namespace shardmill::source {
namespace {

constexpr std::string_view kAishellTranscript = "data_aishell/transcript/aishell_transcript_v0.8.txt";

TEST(AishellTreeTest, WordsKeepTheirBlanks) {
  ToldTree corpus(CorpusKind::aishell);
  EXPECT_TRUE(corpus.tell(kAishellTranscript, "BAC009S0002W0122 而 对 楼市 成交 抑制 作用 最 大 的 限 购\n"));
  EXPECT_THAT(corpus.says("data_aishell/wav/train/S0002/BAC009S0002W0122.wav"),
              ElementsAre("BAC009S0002W0122 '而 对 楼市 成交 抑制 作用 最 大 的 限 购' "
                          R"({"speaker":"S0002","subset":"train"})"));
  EXPECT_THAT(corpus.lost(), IsEmpty());
}

TEST(AishellTreeTest, TheSpeakersOfItsResources) {
  // resource_aishell/speaker.info has the numbers alone.
  ToldTree corpus(CorpusKind::aishell);
  EXPECT_TRUE(corpus.tell("resource_aishell/speaker.info", "0001 M\n0002 F\nS0003 M\n"));
  corpus.end();
  EXPECT_THAT(corpus.says("wav/dev/S0002/x.wav"),
              ElementsAre(R"(x {"speaker":"S0002","gender":"F","subset":"dev"})"));
  EXPECT_THAT(corpus.says("wav/test/S0003/y.wav"), ElementsAre(HasSubstr(R"("gender":"M","subset":"test")")));
}

TEST(AishellTreeTest, AudioWithoutATranscriptIsKnownOnceTheTranscriptWasRead) {
  // 334 files of the published corpus have none.
  ToldTree corpus(CorpusKind::aishell);
  corpus.tell("resource_aishell/speaker.info", "0002 F\n");
  EXPECT_THAT(corpus.says("wav/train/S0002/a.wav"), ElementsAre("?"));
  corpus.tell(kAishellTranscript, "b 好\n");
  EXPECT_THAT(corpus.says("wav/train/S0002/a.wav"), ElementsAre(HasSubstr(R"(a {"speaker":"S0002")")));
  EXPECT_THAT(corpus.lost(), ElementsAre(HasSubstr("line 1: 'b' has a transcript")));
}

TEST(AishellTreeTest, SpeakersMayBePacked) {
  EXPECT_EQ(ToldTree(CorpusKind::aishell).corpus().packed(), TreeCorpus::Packed::by_name);
}

TEST(AishellTreeTest, TranscriptsThatMakeNoSense) {
  const auto problem = [](std::string_view content) {
    return ToldTree(CorpusKind::aishell).problem(kAishellTranscript, content);
  };
  EXPECT_EQ(problem("\xEF\xBB\xBF"
                    "a 好\r\n\r\nb\r\n"),
            "no problem");
  EXPECT_THAT(problem("a 好\nb 好\na 坏\n"), HasSubstr("line 3: 'a' stands in line 1 of"));
  EXPECT_THAT(problem("\xFF\xFE"
                      "a"),
              HasSubstr("is UTF-16, not UTF-8"));
  EXPECT_THAT(problem("a 好\nb \xB9\xE3\xD6\xDD\n"), HasSubstr("line 2: column 3: is not UTF-8"));
}

}  // namespace
}  // namespace shardmill::source
