#include "source/corpora/tree_test.hpp"

namespace shardmill::source {
namespace {

// Of release 0.92.
constexpr std::string_view kVctkSpeakers =
    "ID  AGE  GENDER  ACCENTS  REGION COMMENTS\n"
    "p225  23  F    English    Southern  England\n"
    "p280  25  F    French    France  (mic2 files unavailable)\n"
    "s5  22  M    Southern  England\n";

TEST(VctkTest, TwoMicrophonesSayTheSame) {
  ToldTree corpus(kVctk);
  EXPECT_TRUE(corpus.tell("VCTK/speaker-info.txt", kVctkSpeakers));
  EXPECT_TRUE(corpus.tell("VCTK/txt/p225/p225_001.txt", "Please call Stella.\n"));
  EXPECT_THAT(corpus.says("VCTK/wav48_silence_trimmed/p225/p225_001_mic1.flac"),
              ElementsAre("p225_001_mic1 'Please call Stella.' "
                          R"({"speaker":"p225","gender":"F","language":"en","lang":"en"})"));
  EXPECT_THAT(corpus.says("VCTK/wav48_silence_trimmed/p225/p225_001_mic2.flac"),
              ElementsAre(HasSubstr("p225_001_mic2 'Please call Stella.'")));
}

TEST(VctkTest, SpeakersOfBothKindsAndOfTheOlderRelease) {
  ToldTree corpus(kVctk);
  corpus.tell("speaker-info.txt", kVctkSpeakers);
  // Release 0.80 has the numbers without "p", and one microphone.
  corpus.tell("old/speaker-info.txt", "ID  AGE  GENDER  ACCENTS  REGION\n226  22  M    English    Surrey\n");
  corpus.tell("txt/s5/s5_001.txt", "Please call Stella.");
  corpus.tell("txt/p226/p226_001.txt", "Please call Stella.");
  EXPECT_THAT(corpus.says("wav48/s5/s5_001.wav"), ElementsAre(HasSubstr(R"("speaker":"s5","gender":"M")")));
  EXPECT_THAT(corpus.says("wav48/p226/p226_001.wav"),
              ElementsAre(HasSubstr(R"("speaker":"p226","gender":"M")")));
}

TEST(VctkTest, OtherTextsAreNoTranscripts) {
  ToldTree corpus(kVctk);
  EXPECT_FALSE(corpus.tell("VCTK/README.txt", "The text \xFF"));
  EXPECT_FALSE(corpus.tell("VCTK/wav48_silence_trimmed/p225/log.txt", "x"));
  EXPECT_FALSE(corpus.tell("VCTK/txt/notes.txt", "x"));
}

TEST(VctkTest, AudioWaitsForItsOwnTranscript) {
  ToldTree corpus(kVctk);
  EXPECT_THAT(corpus.says("wav48/p315/p315_001_mic1.flac"), ElementsAre("?"));
  EXPECT_EQ(corpus.corpus().awaited("txt/p315/p315_001.txt"),
            corpus.corpus().awaited("wav48/p315/p315_001_mic2.flac"));
  corpus.end();
  // Of p315 no transcript was published.
  EXPECT_THAT(corpus.says("wav48/p315/p315_001_mic1.flac"),
              ElementsAre(R"(p315_001_mic1 {"speaker":"p315","language":"en","lang":"en"})"));
}

TEST(VctkTest, ATranscriptWithoutAudio) {
  ToldTree corpus(kVctk);
  corpus.tell("txt/p362/p362_002.txt", "Ask her.");
  EXPECT_THAT(corpus.lost(), ElementsAre("p362_002: txt/p362/p362_002.txt: "
                                         "'p362_002' has a transcript, but there is no such audio"));
}

TEST(VctkTest, TranscriptsOfSeveralLinesOrNone) {
  ToldTree corpus(kVctk);
  corpus.tell("txt/p1/p1_001.txt", "One\r\n  two \r\n");
  corpus.tell("txt/p1/p1_002.txt", "");
  EXPECT_THAT(corpus.says("wav48/p1/p1_001.wav"), ElementsAre(HasSubstr("'One\ntwo'")));
  EXPECT_THAT(corpus.says("wav48/p1/p1_002.wav"), ElementsAre(HasSubstr("p1_002 ''")));
  EXPECT_THAT(corpus.problem("txt/p1/p1_003.txt", "a\x01"),
              HasSubstr("line 1: column 2: is the control character"));
}

}  // namespace
}  // namespace shardmill::source
