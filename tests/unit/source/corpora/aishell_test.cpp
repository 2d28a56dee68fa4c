#include "source/corpora/aishell.hpp"

#include <filesystem>
#include <string>

#include "source/corpus_test.hpp"

namespace shardmill::source {
namespace {

class AishellTest : public CorpusTest {
 protected:
  CorpusFiles read(const std::string& folder) { return read_as(CorpusKind::aishell, folder); }
  CorpusFiles read2(const std::string& folder) { return read_as(CorpusKind::aishell2, folder); }

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
              ElementsAre(HasSubstr("S0002.tar.gz: is left out: what it holds lies unpacked beside it"),
                          HasSubstr("'BAC009S0002W0999' has no transcript")));
}

TEST_F(AishellTest, SpeakersThatAreMissingAndFoldersOfAnotherKind) {
  write_transcript("BAC009S0002W0122 a\nBAC009S0003W0001 b\n");
  folder_.write("x/data_aishell/wav/train/S0002/BAC009S0002W0122.wav", "x");
  EXPECT_THAT(
      unusable_lines(read("x")),
      ElementsAre(EndsWith("line 2: 'BAC009S0003W0001' has a transcript, but there is no such audio")));
  EXPECT_THAT(problem_of_corpus(CorpusKind::aishell, folder_.path().string()), HasSubstr("is not AISHELL-1"));
  folder_.write("x/data_aishell/transcript/aishell_transcript_v0.9.txt", "");
  EXPECT_THAT(problem_as(CorpusKind::aishell, "x"), HasSubstr("v0.9.txt: is a second transcript beside"));
}

TEST_F(AishellTest, Aishell2WithAndWithoutWavScp) {
  folder_.write("y/iOS/data/trans.txt", "IC0001W0001\t厨房用品\nIC0001W0002\tx\n");
  folder_.write("y/iOS/data/wav.scp",
                "IC0001W0002\twav/C0001/IC0001W0002.wav\nIC0001W0001\twav/C0001/IC0001W0001.wav\n");
  folder_.write("y/iOS/data/wav/C0001/IC0001W0001.wav", "x");
  folder_.write("y/iOS/data/wav/C0001/IC0001W0002.wav", "x");
  const std::string facts = R"({"speaker":"C0001","device":"iOS","subset":"train"})";
  EXPECT_THAT(lines_of(read2("y/iOS/data"), folder_),
              ElementsAre("y/iOS/data/wav/C0001/IC0001W0002.wav IC0001W0002 'x' " + facts,
                          "y/iOS/data/wav/C0001/IC0001W0001.wav IC0001W0001 '厨房用品' " + facts));
  folder_.write("y/Mic/dev/trans.txt", "M1 a\nM2 b\n");
  folder_.write("y/Mic/dev/wav/D1/M1.wav", "x");
  const CorpusFiles files = read2("y");
  EXPECT_EQ(lines_of(files, folder_).front(),
            R"(y/Mic/dev/wav/D1/M1.wav M1 'a' {"speaker":"D1","device":"Mic","subset":"dev"})");
  EXPECT_EQ(lines_of(files, folder_).size(), 3u);
  EXPECT_THAT(
      unusable_lines(files),
      ElementsAre(EndsWith("Mic/dev/trans.txt: line 2: 'M2' has a transcript, but there is no such audio")));
  EXPECT_THAT(problem_of_corpus(CorpusKind::aishell2, folder_.file("y/Mic/dev/wav")),
              HasSubstr("is not AISHELL-2"));
}

}  // namespace
}  // namespace shardmill::source
