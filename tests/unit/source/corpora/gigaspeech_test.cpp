#include <fmt/format.h>

#include <string>

#include "source/corpora/tree_test.hpp"

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
  ToldTree corpus(kGigaSpeech);
  EXPECT_TRUE(corpus.tell(kJson, audios(segment("0000001", "DOUGLAS <COMMA> THE HUMANIST <PERIOD>"))));
  // "N/A" is nobody's name.
  EXPECT_THAT(corpus.says(kAudio), ElementsAre("POD0000000001_S0000001 [159 167.52] 'DOUGLAS THE HUMANIST' "
                                               R"({"language":"en","lang":"en","subset":"XL"})"));
  EXPECT_THAT(corpus.lost(), IsEmpty());
}

TEST(GigaSpeechTest, SegmentsWithoutSpeechAreLeftOut) {
  ToldTree corpus(kGigaSpeech);
  corpus.tell(kJson,
              audios(segment("1", "<SIL>") + "," + segment("2", "<MUSIC>") + "," + segment("3", "<NOISE>") +
                     "," + segment("4", "<OTHER>") + "," + segment("5", "YES <QUESTIONMARK>")));
  EXPECT_THAT(corpus.says(kAudio), ElementsAre(HasSubstr("_S5 [159 167.52] 'YES'")));
}

TEST(GigaSpeechTest, TheTextAsItStands) {
  ToldTree corpus(kGigaSpeech, {.text_field = "text_tn"});
  corpus.tell(kJson, audios(segment("1", "<SIL>") + "," + segment("2", "YES <EXCLAMATIONPOINT>")));
  EXPECT_THAT(corpus.says(kAudio), ElementsAre(HasSubstr("'YES <EXCLAMATIONPOINT>'")));
}

TEST(GigaSpeechTest, SubsetsOfASegmentGoBeforeThoseOfItsRecording) {
  ToldTree corpus(kGigaSpeech);
  corpus.tell(kJson,
              audios(segment("1", "A", R"(, "subsets": ["{XL}", "{L}"])") + "," + segment("2", "B", "")));
  EXPECT_THAT(corpus.says(kAudio),
              ElementsAre(HasSubstr(R"("subset":"XL L")"), HasSubstr(R"("subset":"XL M")")));
}

TEST(GigaSpeechTest, ARealSpeakerIsKept) {
  ToldTree corpus(kGigaSpeech);
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
  ToldTree corpus(kGigaSpeech, {.subsets = {"XL"}});
  EXPECT_THAT(corpus.says(kAudio), ElementsAre("?"));
  corpus.tell(kJson, audios(segment("1", "A")));
  EXPECT_THAT(corpus.says("audio/podcast/P0000/POD0000000002.opus"), ElementsAre("POD0000000002"));
  EXPECT_THAT(corpus.lost(),
              ElementsAre("POD0000000001: GigaSpeech/GigaSpeech.json: 'POD0000000001' has 1 transcribed "
                          "segment, but there is no such audio"));
  ToldTree dev(kGigaSpeech, {.subsets = {"DEV"}});
  dev.tell(kJson, audios(segment("1", "A")));
  EXPECT_THAT(dev.lost(), IsEmpty());
}

TEST(GigaSpeechTest, ListsThatMakeNoSense) {
  const auto problem = [](std::string_view content) { return ToldTree(kGigaSpeech).problem(kJson, content); };
  EXPECT_EQ(problem(R"({"audios": []})"), "no problem");
  EXPECT_THAT(problem("{}"), HasSubstr("GigaSpeech.json: "));
  EXPECT_THAT(problem(R"({"dataset": "GigaSpeech"})"), HasSubstr("has no member 'audios'"));
  const std::string whole = audios(segment("1", "A"));
  EXPECT_THAT(problem(whole.substr(0, whole.size() - 4)), HasSubstr("is JSON that ends too early"));
  EXPECT_THAT(problem(R"({"audios": [{"aid": "x"}]})"), HasSubstr("element 1: "));
  EXPECT_THAT(problem(audios(R"({"sid": "x", "begin_time": "0", "end_time": 1, "text_tn": "A"})")),
              HasSubstr("element 1: 'begin_time' is not a number"));
}

constexpr std::string_view kTable = "data/metadata/s_metadata_additional/s_chunks_0000_metadata.csv";
constexpr std::string_view kRows =
    "sid,speaker,begin_time,end_time,text_tn,aid,title\r\n"
    "YOU1_S0000001,N/A,1.5,2.5,HELLO <COMMA> YOU,YOU1,\"a, b\"\r\n"
    "YOU1_S0000002,Ann,2.5,3.5,BYE,YOU1,\r\n"
    "YOU1_S0000003,N/A,3.5,4.5,<MUSIC>,YOU1,\r\n";

TEST(GigaSpeechClipsTest, ATableForEachArchive) {
  ToldTree corpus(kGigaSpeech);
  EXPECT_TRUE(corpus.tell(kTable, kRows));
  EXPECT_THAT(
      corpus.says("data/audio/s_files_additional/s_chunks_0000/YOU1_S0000001.wav"),
      ElementsAre("YOU1_S0000001 'HELLO YOU' {\"recording\":\"YOU1\",\"language\":\"en\",\"lang\":\"en\","
                  "\"subset\":\"XL L M S\"}"));
  EXPECT_THAT(corpus.says("x/YOU1_S0000003.wav"), IsEmpty());
  EXPECT_THAT(corpus.says("x/YOU1_S0000004.wav"), ElementsAre("?"));
  EXPECT_THAT(corpus.lost(), ElementsAre(HasSubstr("YOU1_S0000002: ")));
  EXPECT_TRUE(corpus.corpus().belongs_to("YOU1_S0000002", "s_files_additional/s_chunks_0000"));
  EXPECT_FALSE(corpus.corpus().belongs_to("YOU1_S0000002", "xs_files/xs_chunks_0000"));
  EXPECT_THAT(corpus.says("x/YOU1_S0000002.wav"), ElementsAre(HasSubstr("\"speaker\":\"Ann\"")));
}

TEST(GigaSpeechClipsTest, OtherTablesAreNone) {
  ToldTree corpus(kGigaSpeech);
  EXPECT_FALSE(corpus.tell("data/metadata.csv", kRows));
  EXPECT_FALSE(corpus.tell("data/s_metadata.csv", kRows));
}

TEST(GigaSpeechClipsTest, WordsForPunctuationAndForNoSpeech) {
  const auto says = [](std::string_view words, const TreeOptions& options = {}) {
    ToldTree corpus(kGigaSpeech, options);
    corpus.tell(kTable, fmt::format("sid,text_tn,speaker,aid\nYOU1_S1,{},N/A,\n", words));
    const auto lines = corpus.says("x/YOU1_S1.wav");
    return lines.empty() ? "nothing" : lines.front().substr(0, lines.front().find(" {"));
  };
  EXPECT_EQ(says("YES <COMMA> NO <QUESTIONMARK>"), "YOU1_S1 'YES NO'");
  EXPECT_EQ(says("YES <COMMA> NO <QUESTIONMARK>", {.text_field = "text_tn"}),
            "YOU1_S1 'YES <COMMA> NO <QUESTIONMARK>'");
  EXPECT_EQ(says("<EXCLAMATIONPOINT>"), "YOU1_S1 ''");
  EXPECT_EQ(says("<MUSIC>", {.text_field = "text_tn"}), "nothing");
  EXPECT_EQ(says("AND <SIL> THEN"), "nothing");
}

TEST(GigaSpeechClipsTest, SmallerSubsetsAreInLargerOnes) {
  const std::vector<std::pair<std::string, std::string>> parts{
      {"xs", "XL L M S XS"}, {"m", "XL L M"}, {"xl", "XL"}, {"dev", "DEV"}, {"other", "other"}};
  for (const auto& [part, subsets] : parts) {
    ToldTree corpus(kGigaSpeech);
    corpus.tell(part + "_chunks_0000_metadata.csv", kRows);
    EXPECT_THAT(corpus.says("x/YOU1_S0000001.wav"), ElementsAre(HasSubstr("\"subset\":\"" + subsets + "\"")));
  }
}

}  // namespace
}  // namespace shardmill::source
