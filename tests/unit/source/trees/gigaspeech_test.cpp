#include <fmt/format.h>

#include <string>

#include "source/trees/tree_test.hpp"

namespace shardmill::source {
namespace {

/// A recording as GigaSpeech.json has it, cut down to what matters and to two fields that do not.
std::string audios(std::string_view segments) {
  return fmt::format(R"({{"dataset": "GigaSpeech", "version": "v1.0.0", "audios": [
    {{"title": "A, [b] \"c\"", "path": "audio/podcast/P0000/POD0000000001.opus", "aid": "POD0000000001",
     "subsets": ["{{XL}}", "{{M}}"], "segments": [{}]}}]}})",
                     segments);
}
std::string segment(std::string_view number, std::string_view text,
                    std::string_view more = R"(, "subsets": ["{XL}"])") {
  return fmt::format(
      R"({{"sid": "POD0000000001_S{}", "speaker": "N/A", "begin_time": 159.0, "end_time": 167.52,
    "text_tn": "{}"{}}})",
      number, text, more);
}

constexpr std::string_view kJson = "GigaSpeech/GigaSpeech.json";
constexpr std::string_view kAudio = "GigaSpeech/audio/podcast/P0000/POD0000000001.opus";

TEST(GigaSpeechTest, SegmentsWithoutTheWordsForPunctuation) {
  ToldTree corpus(CorpusKind::gigaspeech);
  EXPECT_TRUE(corpus.tell(kJson, audios(segment("0000001", "DOUGLAS <COMMA> THE HUMANIST <PERIOD>"))));
  // "N/A" is nobody's name.
  EXPECT_THAT(corpus.says(kAudio), ElementsAre("POD0000000001_S0000001 [159 167.52] 'DOUGLAS THE HUMANIST' "
                                               R"({"language":"en","lang":"en","subset":"XL"})"));
  EXPECT_THAT(corpus.lost(), IsEmpty());
}

TEST(GigaSpeechTest, SegmentsWithoutSpeechAreLeftOut) {
  ToldTree corpus(CorpusKind::gigaspeech);
  corpus.tell(kJson,
              audios(segment("1", "<SIL>") + "," + segment("2", "<MUSIC>") + "," + segment("3", "<NOISE>") +
                     "," + segment("4", "<OTHER>") + "," + segment("5", "YES <QUESTIONMARK>")));
  EXPECT_THAT(corpus.says(kAudio), ElementsAre(HasSubstr("_S5 [159 167.52] 'YES'")));
}

TEST(GigaSpeechTest, TheTextAsItStands) {
  ToldTree corpus(CorpusKind::gigaspeech, {.text_field = "text_tn"});
  corpus.tell(kJson, audios(segment("1", "<SIL>") + "," + segment("2", "YES <EXCLAMATIONPOINT>")));
  EXPECT_THAT(corpus.says(kAudio), ElementsAre(HasSubstr("'YES <EXCLAMATIONPOINT>'")));
}

TEST(GigaSpeechTest, SubsetsOfASegmentGoBeforeThoseOfItsRecording) {
  ToldTree corpus(CorpusKind::gigaspeech);
  corpus.tell(kJson,
              audios(segment("1", "A", R"(, "subsets": ["{XL}", "{L}"])") + "," + segment("2", "B", "")));
  EXPECT_THAT(corpus.says(kAudio),
              ElementsAre(HasSubstr(R"("subset":"XL L")"), HasSubstr(R"("subset":"XL M")")));
}

TEST(GigaSpeechTest, ARealSpeakerIsKept) {
  ToldTree corpus(CorpusKind::gigaspeech);
  corpus.tell(kJson, R"({"audios": [{"aid": "YOU1", "segments": [
    {"sid": "a", "begin_time": 0, "end_time": 1, "text_tn": "A", "speaker": "Jo"},
    {"sid": "b", "begin_time": 1, "end_time": 2, "text_tn": "B", "speaker": null},
    {"sid": "c", "begin_time": 2, "end_time": 3, "text_tn": "C"}]}]})");
  EXPECT_THAT(corpus.says("audio/youtube/P0000/YOU1.opus"),
              ElementsAre(R"(a [0 1] 'A' {"speaker":"Jo","language":"en","lang":"en"})",
                          R"(b [1 2] 'B' {"language":"en","lang":"en"})",
                          R"(c [2 3] 'C' {"language":"en","lang":"en"})"));
}

TEST(GigaSpeechTest, RecordingsThatAreNotListedOrNotThere) {
  ToldTree corpus(CorpusKind::gigaspeech, {.subsets = {"XL"}});
  EXPECT_THAT(corpus.says(kAudio), ElementsAre("?"));
  corpus.tell(kJson, audios(segment("1", "A")));
  EXPECT_THAT(corpus.says("audio/podcast/P0000/POD0000000002.opus"), ElementsAre("POD0000000002"));
  EXPECT_THAT(corpus.lost(),
              ElementsAre("POD0000000001: GigaSpeech/GigaSpeech.json: 'POD0000000001' has 1 transcribed "
                          "segment, but there is no such audio"));
  ToldTree dev(CorpusKind::gigaspeech, {.subsets = {"DEV"}});
  dev.tell(kJson, audios(segment("1", "A")));
  EXPECT_THAT(dev.lost(), IsEmpty());
}

TEST(GigaSpeechTest, ListsThatMakeNoSense) {
  const auto problem = [](std::string_view content) {
    return ToldTree(CorpusKind::gigaspeech).problem(kJson, content);
  };
  EXPECT_EQ(problem(R"({"audios": []})"), "no problem");
  EXPECT_THAT(problem("{}"), HasSubstr("GigaSpeech.json: "));
  EXPECT_THAT(problem(R"({"dataset": "GigaSpeech"})"), HasSubstr("has no member 'audios'"));
  const std::string whole = audios(segment("1", "A"));
  EXPECT_THAT(problem(whole.substr(0, whole.size() - 4)), HasSubstr("is JSON that ends too early"));
  EXPECT_THAT(problem(R"({"audios": [{"aid": "x"}]})"), HasSubstr("element 1: "));
  EXPECT_THAT(problem(audios(R"({"sid": "x", "begin_time": "0", "end_time": 1, "text_tn": "A"})")),
              HasSubstr("element 1: 'begin_time' is not a number"));
}

}  // namespace
}  // namespace shardmill::source
