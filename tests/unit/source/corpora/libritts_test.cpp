#include <string>

#include "source/corpora/tree_test.hpp"

namespace shardmill::source {
namespace {

constexpr std::string_view kStart = "LibriTTS/dev-clean/84/121123/84_121123_000007_000001";

std::string file(std::string_view extension) {
  return std::string(kStart) + std::string(extension);
}

TEST(LibriTtsTest, ATranscriptBesideEachWav) {
  ToldTree corpus(kLibriTts);
  EXPECT_TRUE(corpus.tell("LibriTTS/SPEAKERS.txt",
                          ";ID  |SEX| SUBSET           |MINUTES| NAME\n"
                          "84   | F | dev-clean        |  8.02 | Christie Nowak\n"
                          "60   | M | train-clean-100  | 20.18 | |CBW|Simon\n"));
  EXPECT_TRUE(corpus.tell(file(".normalized.txt"), "Maximilian, at eight.\n"));
  EXPECT_FALSE(corpus.tell(file(".original.txt"), "Maximilian, at 8.\n"));
  EXPECT_FALSE(corpus.tell("LibriTTS/dev-clean/84/121123/84_121123.trans.tsv", "x"));
  EXPECT_FALSE(corpus.tell("LibriTTS/dev-clean/84/121123/84_121123.book.tsv", "x"));
  EXPECT_THAT(corpus.says(file(".wav")),
              ElementsAre("84_121123_000007_000001 'Maximilian, at eight.' "
                          R"({"speaker":"84","chapter":"121123","gender":"F","language":"en","lang":"en",)"
                          R"("subset":"dev-clean"})"));
  EXPECT_THAT(corpus.lost(), IsEmpty());
}

TEST(LibriTtsTest, TheOriginalText) {
  ToldTree corpus(kLibriTts, {.text_field = "original"});
  EXPECT_FALSE(corpus.tell(file(".normalized.txt"), "Maximilian, at eight.\n"));
  EXPECT_TRUE(corpus.tell(file(".original.txt"), "Maximilian, at 8.\n"));
  EXPECT_THAT(corpus.says(file(".wav")), ElementsAre(HasSubstr("'Maximilian, at 8.'")));
}

TEST(LibriTtsTest, TheOtherTableOfSpeakersAndItsBytes) {
  // Names of readers are not always UTF-8, and nobody needs them.
  ToldTree corpus(kLibriTts);
  EXPECT_TRUE(
      corpus.tell("LibriTTS/speakers.tsv",
                  "READER\tGENDER\tSUBSET\tNAME\r\n84\tF\tdev-clean\tJos\xE9\r\n85\t?\tdev-clean\tX"));
  EXPECT_THAT(corpus.says(file(".wav")), ElementsAre("?"));
  corpus.end();
  EXPECT_THAT(corpus.says(file(".wav")), ElementsAre(HasSubstr(R"("gender":"F")")));
  EXPECT_THAT(corpus.says("LibriTTS/dev-clean/85/1/85_1_000000_000000.wav"),
              ElementsAre(::testing::Not(HasSubstr("gender"))));
}

TEST(LibriTtsTest, AudioWaitsForItsOwnTranscript) {
  const ToldTree told(kLibriTts);
  EXPECT_EQ(told.corpus().awaited(file(".wav")), kStart);
  EXPECT_EQ(told.corpus().awaited(file(".normalized.txt")), kStart);
  EXPECT_NE(told.corpus().awaited("LibriTTS/dev-clean/84/121123/84_121123_000007_000002.wav"), kStart);
}

TEST(LibriTtsTest, FoldersOfOtherNamesAreNoSubset) {
  ToldTree corpus(kLibriTts);
  corpus.tell("some/where/84_121123_000007_000001.normalized.txt", "Text");
  EXPECT_THAT(corpus.says("some/where/84_121123_000007_000001.wav"),
              ElementsAre(::testing::Not(HasSubstr("subset"))));
  corpus.tell("odd.normalized.txt", "Text");
  EXPECT_THAT(corpus.says("odd.wav"), ElementsAre("odd 'Text'"));
}

TEST(LibriTtsTest, ATranscriptWithoutAudioAndTwoOfOne) {
  ToldTree corpus(kLibriTts);
  corpus.tell(file(".normalized.txt"), "Text");
  EXPECT_THAT(corpus.problem("other/84_121123_000007_000001.normalized.txt", "Text"),
              HasSubstr("is in line 0 of"));
  EXPECT_THAT(corpus.lost(), ElementsAre(HasSubstr("84_121123_000007_000001.normalized.txt: "
                                                   "'84_121123_000007_000001' has a transcript")));
}

}  // namespace
}  // namespace shardmill::source
