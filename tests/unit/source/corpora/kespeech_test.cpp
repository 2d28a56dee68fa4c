#include "source/corpora/tree_test.hpp"

namespace shardmill::source {
namespace {

constexpr std::string_view kKeSpeechAudio = "KeSpeech/Audio/1000001/phase1/1000001_00f8ef1d.wav";

TEST(KeSpeechTest, TheListsForSpeechRecognition) {
  ToldTree corpus(kKeSpeech);
  EXPECT_TRUE(
      corpus.tell("KeSpeech/Tasks/ASR/train_phase1/text", "1000001_00f8ef1d 这是一段<SPOKEN_NOISE>话\n"));
  EXPECT_TRUE(corpus.tell("KeSpeech/Tasks/ASR/train_phase1/utt2subdialect", "1000001_00f8ef1d Ji-Lu\n"));
  EXPECT_FALSE(corpus.tell("KeSpeech/Tasks/ASR/train_phase1/wav.scp", "1000001_00f8ef1d Audio/x.wav\n"));
  EXPECT_FALSE(corpus.tell("KeSpeech/Tasks/ASR/train_phase1/utt2spk", "1000001_00f8ef1d 1000001\n"));
  corpus.end();
  EXPECT_THAT(corpus.says(kKeSpeechAudio),
              ElementsAre("1000001_00f8ef1d '这是一段<SPOKEN_NOISE>话' "
                          R"({"speaker":"1000001","dialect":"Ji-Lu","subset":"train_phase1"})"));
  EXPECT_THAT(corpus.lost(), IsEmpty());
}

TEST(KeSpeechTest, ListsOfOtherTasksSayNothing) {
  // The same utterances stand in the lists for speaker verification and for subdialects.
  ToldTree corpus(kKeSpeech);
  EXPECT_FALSE(corpus.tell("KeSpeech/Tasks/SubdialectID/train/utt2subdialect", "1000001_00f8ef1d x\n"));
  EXPECT_FALSE(corpus.tell("KeSpeech/Tasks/SpeakerVerification/train/text", "1000001_00f8ef1d x\n"));
  EXPECT_FALSE(corpus.tell("KeSpeech/Metadata/speaker_info", "x"));
}

TEST(KeSpeechTest, AudioOfThePhasesThatAreNotForRecognition) {
  ToldTree corpus(kKeSpeech);
  corpus.tell("KeSpeech/Tasks/ASR/test/text", "1_a 好\n");
  EXPECT_THAT(corpus.says(kKeSpeechAudio), ElementsAre("?"));
  corpus.end();
  EXPECT_THAT(corpus.says(kKeSpeechAudio), ElementsAre(R"(1000001_00f8ef1d {"speaker":"1000001"})"));
  EXPECT_THAT(
      corpus.lost(),
      ElementsAre(
          "1_a: KeSpeech/Tasks/ASR/test/text: line 1: '1_a' has a transcript, but there is no such audio"));
}

TEST(KeSpeechTest, TheDialectIsWaitedFor) {
  ToldTree corpus(kKeSpeech);
  corpus.tell("Tasks/ASR/test/text", "1_a 好\n1_b 好\n");
  EXPECT_THAT(corpus.says("Audio/1/phase1/1_a.wav"), ElementsAre("?"));
  corpus.tell("Tasks/ASR/test/utt2subdialect", "1_a Zhongyuan\n");
  EXPECT_THAT(corpus.says("Audio/1/phase1/1_a.wav"), ElementsAre(HasSubstr(R"("dialect":"Zhongyuan")")));
  EXPECT_THAT(corpus.says("Audio/1/phase1/1_b.wav"), ElementsAre("?"));
  corpus.end();
  EXPECT_THAT(corpus.says("Audio/1/phase1/1_b.wav"),
              ElementsAre(R"(1_b '好' {"speaker":"1","subset":"test"})"));
}

TEST(KeSpeechTest, AnUtteranceInTwoSplits) {
  ToldTree corpus(kKeSpeech);
  corpus.tell("Tasks/ASR/dev_phase1/text", "1_a 好\n1_b\n");
  corpus.end();
  EXPECT_THAT(corpus.says("Audio/1/phase1/1_b.wav"), ElementsAre(HasSubstr("1_b ''")));
  EXPECT_THAT(
      corpus.problem("Tasks/ASR/test/text", "1_a 好\n"),
      HasSubstr("Tasks/ASR/test/text: line 1: '1_a' is in line 1 of Tasks/ASR/dev_phase1/text already"));
}

}  // namespace
}  // namespace shardmill::source
