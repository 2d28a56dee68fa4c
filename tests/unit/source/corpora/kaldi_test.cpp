#include <filesystem>
#include <string>

#include "source/corpus_test.hpp"

namespace shardmill::source {
namespace {

class KaldiTest : public CorpusTest {
 protected:
  CorpusFiles read(bool allow_commands = false) {
    return read_as(kKaldi, "d", {.allow_commands = allow_commands});
  }
  std::string problem() { return problem_as(kKaldi, "d"); }
  void write(const std::string& name, const std::string& content) { folder_.write("d/" + name, content); }
};

TEST_F(KaldiTest, UtterancesAreThoseOfWavScpInItsOrder) {
  const std::string b = folder_.write("audio/b.wav", "bb");
  folder_.write("d/a.flac", "a");
  write("wav.scp", "utt-b " + b + "\nutt-a\ta.flac\r\n\n");
  write("text", "utt-a  two  words \r\nutt-b\t你好\n");
  write("utt2spk", "utt-a s1\nutt-b s2\n");
  write("spk2gender", "s1 f\n");
  write("utt2lang", "utt-b zh\n");
  write("utt2dur", "utt-b 1.25\n");
  const CorpusFiles files = read();
  EXPECT_THAT(lines_of(files, folder_),
              ElementsAre(R"(audio/b.wav utt-b '你好' {"speaker":"s2","language":"zh","lang":"zh"})",
                          R"(d/a.flac utt-a 'two  words' {"speaker":"s1","gender":"f"})"));
  EXPECT_EQ(files.audio[0].utterances[0].seconds, 1.25);
  EXPECT_EQ(files.audio[0].bytes, 2u);
  EXPECT_EQ(files.audio[0].kind, SourceKind::recording);
  EXPECT_EQ(files.descriptions.size(), 6u);
  EXPECT_THAT(files.unusable, IsEmpty());
  EXPECT_THAT(files.warnings, IsEmpty());
}

TEST_F(KaldiTest, SegmentsOfARecordingComeByTheirBeginnings) {
  write("a.wav", "a");
  write("b.wav", "b");
  write("wav.scp", "a a.wav\nb b.wav\nunused none.wav\n");
  write("segments", "b1 b 0 1.5\na2 a 3.25 4\na1\ta\t1e0\t-1\n");
  write("text", "a1 one\na2 two\n");
  const CorpusFiles files = read();
  EXPECT_THAT(lines_of(files, folder_),
              ElementsAre("d/b.wav b1 [0 1.5]", "d/a.wav a1 [1 inf] 'one'", "d/a.wav a2 [3.25 4] 'two'"));
  EXPECT_EQ(files.audio[1].utterances[1].seconds, 0.75);
}

TEST_F(KaldiTest, AnUtteranceWithoutWordsHasNoTranscript) {
  for (const char* name : {"a.wav", "b.wav", "c.wav"}) write(name, name);
  write("wav.scp", "a a.wav\nb b.wav\nc c.wav\n");
  write("text", "a one\nb\n");
  const CorpusFiles files = read();
  EXPECT_THAT(lines_of(files, folder_), ElementsAre("d/a.wav a 'one'", "d/b.wav b ''", "d/c.wav c"));
}

TEST_F(KaldiTest, WhatHasNoAudioIsNamed) {
  write("a.wav", "a");
  write("empty.wav", "");
  write("wav.scp", "a a.wav\ngone gone.wav\nempty empty.wav\n");
  write("text", "a x\ngone x\nempty x\nother x\n");
  const std::string at = " (named in " + folder_.file("d/wav.scp");
  EXPECT_THAT(
      unusable_lines(read()),
      ElementsAre(
          "audio gone: " + folder_.file("d/gone.wav") + ": No such file or directory" + at + ": line 2)",
          HasSubstr("empty.wav: is empty (0 bytes)" + at + ": line 3)"),
          EndsWith("text: line 4: 'other' has a transcript, but is not in " + folder_.file("d/wav.scp"))));
}

TEST_F(KaldiTest, SegmentsThatMakeNoSenseAreNamed) {
  write("a.wav", "a");
  write("wav.scp", "a a.wav\n");
  write("segments", "u1 a 2 1\nu2 a 1 1\nu3 a -1 1\nu4 b 1 2\nok a 0 1\n");
  const CorpusFiles files = read();
  EXPECT_THAT(
      unusable_lines(files),
      ElementsAre("segment u1: " + folder_.file("d/a.wav") +
                      ": the segment 'u1' would begin at 2 s and end at 1 s (named in " +
                      folder_.file("d/segments") + ": line 1)",
                  HasSubstr("'u2' would begin at 1 s and end at 1 s"), HasSubstr("'u3' would begin at -1 s"),
                  HasSubstr("segments: line 4: the recording 'b' is not in")));
  EXPECT_THAT(lines_of(files, folder_), ElementsAre("d/a.wav ok [0 1]"));
}

TEST_F(KaldiTest, LinesThatMakeNoSenseAreErrorsThatNameThem) {
  write("a.wav", "a");
  write("wav.scp", "a a.wav\n");
  for (const auto& [segments, text] :
       {std::pair("u a 0 x", "segments: line 1: 'x' is not a number of seconds"),
        {"u a nan 1", "'nan' is not a"},
        {"u a inf 1", "'inf' is not a"},
        {"u a 0 1,5", "'1,5' is not a"},
        {"u a 0", "is not made of"},
        {"ok a 0 1\nu a 0 1 2", "line 2: has a fifth field, '2'"},
        {"u a 0 1\n\nu a 0 1", "line 3: 'u' is in line 1 already"}}) {
    write("segments", segments);
    EXPECT_THAT(problem(), HasSubstr(text)) << segments;
  }
  std::filesystem::remove(folder_.file("d/segments"));
  write("utt2dur", "a long\n");
  EXPECT_THAT(problem(), HasSubstr("utt2dur: line 1: 'long' is not a number of seconds"));
  std::filesystem::remove(folder_.file("d/utt2dur"));
  for (const char* const nothing : {"a\n", "a  |\n"}) {
    write("wav.scp", nothing);
    EXPECT_THAT(problem(), HasSubstr("wav.scp: line 1: 'a' names no audio"));
  }
  write("wav.scp", "a x.ark:123\n");
  EXPECT_THAT(problem(),
              HasSubstr("line 1: names an entry of a Kaldi archive, x.ark:123 (archives are not read"));
  std::filesystem::remove(folder_.file("d/wav.scp"));
  EXPECT_THAT(problem(), HasSubstr("is no Kaldi data folder: it holds no wav.scp"));
}

TEST_F(KaldiTest, CommandsNeedLeave) {
  write("wav.scp", "a cat 'x.wav' |\nb\tgzip -dc y.gz|\nc no_such_program y.sph |\n");
  EXPECT_THAT(problem(), HasSubstr("wav.scp: line 1: is a command, not a file"));
  const CorpusFiles files = read(true);
  EXPECT_THAT(lines_of(files, folder_), ElementsAre("cat 'x.wav'  a", "gzip -dc y.gz b"));
  EXPECT_EQ(files.audio[0].kind, SourceKind::command);
}

}  // namespace
}  // namespace shardmill::source
