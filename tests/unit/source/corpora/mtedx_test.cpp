#include "source/corpora/tree_test.hpp"

namespace shardmill::source {
namespace {

constexpr const char* kTimes =
    "- {duration: 1.5, offset: 0.25, speaker_id: T, wav: T.wav}\n"
    "- {duration: 2, offset: 3.1, speaker_id: T, wav: T.wav}\n";

TEST(MTedXTest, LinesAndTimesInAnyOrder) {
  for (const bool words_first : {true, false}) {
    ToldTree corpus(kMTedX);
    if (words_first) {
      EXPECT_TRUE(corpus.tell("es-es/data/train/txt/train.es", "uno\ndos tres\n"));
    }
    EXPECT_TRUE(corpus.tell("es-es/data/train/txt/train.yaml", kTimes));
    if (!words_first) {
      EXPECT_TRUE(corpus.tell("es-es/data/train/txt/train.es", "uno\ndos tres\n"));
    }
    // The same times once more.
    EXPECT_TRUE(corpus.tell("es-es/data/train/txt/segments", "T_0 T 0.25 1.75\nT_1 T 3.1 5.1\n"));
    corpus.end();
    EXPECT_THAT(
        corpus.says("es-es/data/train/wav/T.flac"),
        ElementsAre(
            R"(T_00000025 [0.25 1.75] 'uno' {"speaker":"T","language":"es","lang":"es","subset":"train"})",
            R"(T_00000310 [3.1 5.1] 'dos tres' {"speaker":"T","language":"es","lang":"es","subset":"train"})"));
  }
}

TEST(MTedXTest, NoLineMayBeMissing) {
  ToldTree corpus(kMTedX);
  EXPECT_TRUE(corpus.tell("es-es/data/valid/txt/valid.yaml", kTimes));
  EXPECT_THAT(corpus.problem("es-es/data/valid/txt/valid.es", "uno\n"),
              HasSubstr("there are 1 lines of text for 2 segments"));
  // The last line is empty: nothing is said there.
  ToldTree silent(kMTedX);
  EXPECT_TRUE(silent.tell("es-es/data/valid/txt/valid.yaml", kTimes));
  EXPECT_TRUE(silent.tell("es-es/data/valid/txt/valid.es", "uno\n\n"));
  EXPECT_THAT(silent.says("es-es/data/valid/wav/T.flac"),
              ElementsAre(HasSubstr("'uno'"), HasSubstr("[3.1 5.1] ''")));
}

TEST(MTedXTest, TranslationsAreNoTranscripts) {
  ToldTree corpus(kMTedX);
  EXPECT_TRUE(corpus.tell("es-en/data/train/txt/train.es", "uno\ndos\n"));
  EXPECT_FALSE(corpus.tell("es-en/data/train/txt/train.en", "one\ntwo\n"));
}

TEST(MTedXTest, CaptionsCountWhereThereIsNothingElse) {
  ToldTree corpus(kMTedX);
  EXPECT_TRUE(corpus.tell("es-es/data/test/vtt/T.es.vtt",
                          "WEBVTT\nLanguage: es\n\n00:00:00.500 --> 00:01:02.250\nuno\ndos\n\n01:02.500 --> "
                          "01:03.000 align:start\ntres\n"));
  EXPECT_THAT(corpus.says("es-es/data/test/wav/T.flac"), ElementsAre("?"));
  corpus.end();
  EXPECT_THAT(
      corpus.says("es-es/data/test/wav/T.flac"),
      ElementsAre(HasSubstr("T_00000050 [0.5 62.25] 'uno dos'"), HasSubstr("T_00006250 [62.5 63] 'tres'")));
}

TEST(MTedXTest, DamagedCaptionsAreToldWhereTheyCount) {
  constexpr const char* kDamaged =
      "WEBVTT\n\n00:00:00.500 --> 00:00:01.000\nuno\n\n00:00:01.000 -> 00:00:02.000\n";
  ToldTree corpus(kMTedX);
  EXPECT_TRUE(corpus.tell("es-es/data/test/vtt/T.es.vtt", kDamaged));
  try {
    corpus.end();
    ADD_FAILURE() << "no problem";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("T.es.vtt: line 6: has no good times"));
  }
  ToldTree other(kMTedX);
  EXPECT_TRUE(other.tell("es-es/data/train/vtt/T.es.vtt", kDamaged));
  EXPECT_TRUE(other.tell("es-es/data/train/txt/train.yaml", kTimes));
  EXPECT_TRUE(other.tell("es-es/data/train/txt/train.es", "uno\ndos\n"));
  other.end();
  EXPECT_THAT(other.says("es-es/data/train/wav/T.flac"), ElementsAre(HasSubstr("'uno'"), HasSubstr("'dos'")));
}

}  // namespace
}  // namespace shardmill::source
