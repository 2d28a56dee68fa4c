#include "source/corpora/tree_test.hpp"

namespace shardmill::source {
namespace {

constexpr std::string_view kWenetSpeechJson = "WenetSpeech/WenetSpeech.json";

TEST(WenetSpeechTest, SegmentsOfLongRecordings) {
  ToldTree corpus(kWenetSpeech);
  EXPECT_TRUE(corpus.tell(kWenetSpeechJson, R"({"audios": [
    {"aid": "Y0000000000_--5llN02F84", "duration": 2494.57, "md5": "48af998ec7dab6964386c3522386fa4b",
     "path": "audio/train/youtube/B00000/Y0000000000_--5llN02F84.opus", "source": "youtube", "tags": ["drama"],
     "url": "https://www.youtube.com/watch?v=--5llN02F84",
     "segments": [
       {"sid": "Y0000000000_--5llN02F84_S00000", "confidence": 1.0, "begin_time": 20.08, "end_time": 24.4,
        "subsets": ["M", "L"], "text": "怎么样这些日子住得还习惯吧"},
       {"sid": "Y0000000000_--5llN02F84_S00002", "confidence": 0.95, "begin_time": 25.0, "end_time": 26.28,
        "subsets": ["L"], "text": "挺好的"}]},
    {"aid": "Y1", "path": "audio/dev/youtube/B00000/Y1.opus", "segments": []}
  ]})"));
  EXPECT_THAT(corpus.says("WenetSpeech/audio/train/youtube/B00000/Y0000000000_--5llN02F84.opus"),
              ElementsAre("Y0000000000_--5llN02F84_S00000 [20.08 24.4] '怎么样这些日子住得还习惯吧' "
                          R"({"language":"zh","lang":"zh","confidence":1.0,"subset":"M L"})",
                          "Y0000000000_--5llN02F84_S00002 [25 26.28] '挺好的' "
                          R"({"language":"zh","lang":"zh","confidence":0.95,"subset":"L"})"));
  EXPECT_THAT(corpus.says("WenetSpeech/audio/dev/youtube/B00000/Y1.opus"), IsEmpty());
  EXPECT_THAT(corpus.lost(), IsEmpty());
}

TEST(WenetSpeechTest, OnlyASubsetIsMissed) {
  const auto lost = [](const std::string& subset) {
    ToldTree corpus(kWenetSpeech, {.subsets = {subset}});
    corpus.tell(kWenetSpeechJson, R"({"audios": [{"aid": "X1", "segments": [
      {"sid": "s", "begin_time": 0, "end_time": 1, "subsets": ["L", "M"], "text": "好"}]}]})");
    return corpus.lost();
  };
  EXPECT_THAT(lost("L"),
              ElementsAre(HasSubstr("'X1' has 1 transcribed segment, but there is no such audio")));
  EXPECT_THAT(lost("S"), IsEmpty());
}

TEST(WenetSpeechTest, AudioWaitsForTheList) {
  ToldTree corpus(kWenetSpeech);
  EXPECT_THAT(corpus.says("audio/train/podcast/B00000/X1.opus"), ElementsAre("?"));
  EXPECT_FALSE(corpus.tell("WenetSpeech/TERMS_OF_ACCESS", "text"));
  corpus.tell(kWenetSpeechJson, R"({"audios": []})");
  EXPECT_THAT(corpus.says("audio/train/podcast/B00000/X1.opus"), ElementsAre("X1"));
}

TEST(WenetSpeechTest, ListsThatMakeNoSense) {
  const auto problem = [](std::string_view content) {
    return ToldTree(kWenetSpeech).problem(kWenetSpeechJson, content);
  };
  EXPECT_THAT(problem(R"([{"aid": "x"}])"), HasSubstr("'{' is missing"));
  EXPECT_THAT(problem(R"({"audios": {}})"), HasSubstr("'[' is missing"));
  EXPECT_THAT(problem(R"({"audios": [{"aid": "x", "segments": [{"sid": "s"}]}]})"), HasSubstr("element 1: "));
  EXPECT_THAT(problem(R"({"audios": [{"aid": 7, "segments": []}]})"), HasSubstr("element 1: 'aid'"));
  EXPECT_THAT(problem(R"({"audios": [{"aid": "x", "segments": []} {"aid": "y"}]})"),
              HasSubstr("',' is missing"));
}

}  // namespace
}  // namespace shardmill::source
