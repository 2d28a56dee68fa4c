#include <filesystem>
#include <string>

#include "source/corpora/tree_test.hpp"
#include "source/corpus_test.hpp"

namespace shardmill::source {
namespace {

class AishellTest : public CorpusTest {
 protected:
  CorpusFiles read(const std::string& folder) { return read_as(kAishell, folder); }

  void write_transcript(const std::string& lines) {
    folder_.write("x/data_aishell/transcript/aishell_transcript_v0.8.txt", lines);
  }
};

TEST_F(AishellTest, UnpackedAndPackedSpeakers) {
  write_transcript(
      "BAC009S0002W0122 而 对 楼市\nBAC009S0002W0123 b\nBAC009S0764W0121 c\nBAC009S0003W0001 "
      "d\nBAC009S0003W0002 e\n");
  folder_.write("x/data_aishell/wav/train/S0002/BAC009S0002W0122.wav", "x");
  folder_.write("x/data_aishell/wav/train/S0002/BAC009S0002W0123.wav", "x");
  folder_.write("x/data_aishell/wav/train/S0002/BAC009S0002W0999.wav", "x");
  folder_.write("x/data_aishell/wav/dev/S0764/BAC009S0764W0121.wav", "x");
  folder_.write("x/data_aishell/wav/S0003.tar.gz", "x");
  folder_.write("x/data_aishell/wav/S0002.tar.gz", "x");
  folder_.write("x/data_aishell/wav/S0004.tar.gz", "x");
  const CorpusFiles files = read("x");
  EXPECT_EQ(lines_of(files, folder_), lines_of(read("x/data_aishell"), folder_));
  const std::string wav = "x/data_aishell/wav/";
  const std::string train = R"({"speaker":"S0002","subset":"train"})";
  EXPECT_THAT(lines_of(files, folder_),
              ElementsAre(wav + "dev/S0764/BAC009S0764W0121.wav BAC009S0764W0121 'c' "
                                "{\"speaker\":\"S0764\",\"subset\":\"dev\"}",
                          wav + "train/S0002/BAC009S0002W0122.wav BAC009S0002W0122 '而 对 楼市' " + train,
                          wav + "train/S0002/BAC009S0002W0123.wav BAC009S0002W0123 'b' " + train,
                          wav + "train/S0002/BAC009S0002W0999.wav BAC009S0002W0999 " + train));
  std::vector<std::string> packed;
  for (const SourceFile& file : files.audio) {
    if (file.tree) packed.push_back(file.tree->speaker);
  }
  EXPECT_THAT(packed, ElementsAre("S0003", "S0004"));
  EXPECT_TRUE(files.unusable.empty());  // what S0003 lacks is known when it is read
  EXPECT_THAT(warnings_of(files),
              ElementsAre(HasSubstr("S0002.tar.gz: is left out: its contents lie unpacked beside it")));
}

TEST_F(AishellTest, SpeakersThatAreMissingAndFoldersOfAnotherKind) {
  write_transcript("BAC009S0002W0122 a\nBAC009S0003W0001 b\n");
  folder_.write("x/data_aishell/wav/train/S0002/BAC009S0002W0122.wav", "x");
  EXPECT_THAT(
      unusable_lines(read("x")),
      ElementsAre(EndsWith("line 2: 'BAC009S0003W0001' has a transcript, but there is no such audio")));
  EXPECT_THAT(problem_of_corpus(kAishell, folder_.path().string()), HasSubstr("is not AISHELL-1"));
  folder_.write("x/data_aishell/transcript/aishell_transcript_v0.9.txt", "");
  EXPECT_THAT(problem_as(kAishell, "x"), HasSubstr("v0.9.txt: is a second transcript beside"));
}

constexpr std::string_view kAishellTranscript = "data_aishell/transcript/aishell_transcript_v0.8.txt";

TEST(AishellTreeTest, WordsKeepTheirBlanks) {
  ToldTree corpus(kAishell);
  EXPECT_TRUE(corpus.tell(kAishellTranscript, "BAC009S0002W0122 而 对 楼市 成交 抑制 作用 最 大 的 限 购\n"));
  EXPECT_THAT(corpus.says("data_aishell/wav/train/S0002/BAC009S0002W0122.wav"),
              ElementsAre("BAC009S0002W0122 '而 对 楼市 成交 抑制 作用 最 大 的 限 购' "
                          R"({"speaker":"S0002","subset":"train"})"));
  EXPECT_THAT(corpus.lost(), IsEmpty());
}

TEST(AishellTreeTest, TheSpeakersOfItsResources) {
  // resource_aishell/speaker.info has the numbers alone.
  ToldTree corpus(kAishell);
  EXPECT_TRUE(corpus.tell("resource_aishell/speaker.info", "0001 M\n0002 F\nS0003 M\n"));
  corpus.end();
  EXPECT_THAT(corpus.says("wav/dev/S0002/x.wav"),
              ElementsAre(R"(x {"speaker":"S0002","gender":"F","subset":"dev"})"));
  EXPECT_THAT(corpus.says("wav/test/S0003/y.wav"), ElementsAre(HasSubstr(R"("gender":"M","subset":"test")")));
}

TEST(AishellTreeTest, AudioWithoutATranscriptIsKnownOnceTheTranscriptWasRead) {
  // 334 files of the published corpus have none.
  ToldTree corpus(kAishell);
  corpus.tell("resource_aishell/speaker.info", "0002 F\n");
  EXPECT_THAT(corpus.says("wav/train/S0002/a.wav"), ElementsAre("?"));
  corpus.tell(kAishellTranscript, "b 好\n");
  EXPECT_THAT(corpus.says("wav/train/S0002/a.wav"), ElementsAre(HasSubstr(R"(a {"speaker":"S0002")")));
  EXPECT_THAT(corpus.lost(), ElementsAre(HasSubstr("line 1: 'b' has a transcript")));
}

TEST(AishellTreeTest, SpeakersMayBePacked) {
  EXPECT_EQ(ToldTree(kAishell).corpus().packed(), TreeCorpus::Packed::by_name);
}

TEST(AishellTreeTest, TranscriptsThatMakeNoSense) {
  const auto problem = [](std::string_view content) {
    return ToldTree(kAishell).problem(kAishellTranscript, content);
  };
  EXPECT_EQ(problem("\xEF\xBB\xBF"
                    "a 好\r\n\r\nb\r\n"),
            "no problem");
  EXPECT_THAT(problem("a 好\nb 好\na 坏\n"), HasSubstr("line 3: 'a' is in line 1 of"));
  EXPECT_THAT(problem("\xFF\xFE"
                      "a"),
              HasSubstr("is UTF-16, not UTF-8"));
  EXPECT_THAT(problem("a 好\nb \xB9\xE3\xD6\xDD\n"), HasSubstr("line 2: column 3: is not UTF-8"));
}

}  // namespace
}  // namespace shardmill::source
