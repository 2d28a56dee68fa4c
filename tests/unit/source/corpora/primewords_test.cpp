#include "source/corpora/tree_test.hpp"

namespace shardmill::source {
namespace {

constexpr std::string_view kPrimewordsTable = "primewords_md_2018_set1/set1_transcript.json";
constexpr std::string_view kPrimewordsAudio =
    "primewords_md_2018_set1/audio_files/0/00/00a1ca32-3ad8-4f62-bb16-7346fca03444.wav";

TEST(PrimewordsTest, OneArrayOfAllUtterances) {
  ToldTree corpus(kPrimewords);
  EXPECT_TRUE(corpus.tell(kPrimewordsTable, R"([
    {"id": "1", "user_id": "7", "file": "00a1ca32-3ad8-4f62-bb16-7346fca03444.wav", "text": "你 好", "length": "4.7"},
    {"id": "2", "user_id": 8, "file": "10a1ca32-3ad8-4f62-bb16-7346fca03444.wav", "text": "再 \"见\"", "length": "1"}
  ])"));
  EXPECT_THAT(corpus.says(kPrimewordsAudio),
              ElementsAre(R"(00a1ca32-3ad8-4f62-bb16-7346fca03444 '你 好' {"speaker":"7"})"));
  EXPECT_THAT(
      corpus.says("primewords_md_2018_set1/audio_files/1/10/10a1ca32-3ad8-4f62-bb16-7346fca03444.wav"),
      ElementsAre(R"(10a1ca32-3ad8-4f62-bb16-7346fca03444 '再 "见"' {"speaker":"8"})"));
  EXPECT_THAT(corpus.lost(), IsEmpty());
}

TEST(PrimewordsTest, AudioWaitsForTheTable) {
  ToldTree corpus(kPrimewords);
  EXPECT_THAT(corpus.says(kPrimewordsAudio), ElementsAre("?"));
  corpus.tell(kPrimewordsTable, R"([{"file": "x.wav", "text": "好"}])");
  EXPECT_THAT(corpus.says(kPrimewordsAudio), ElementsAre("00a1ca32-3ad8-4f62-bb16-7346fca03444"));
  EXPECT_THAT(corpus.lost(), ElementsAre("x: " + std::string(kPrimewordsTable) +
                                         ": 'x' has a transcript, but there is no such audio"));
}

TEST(PrimewordsTest, AUserThatIsNotSaid) {
  ToldTree corpus(kPrimewords);
  corpus.tell(kPrimewordsTable, R"([{"file": "x.wav", "text": "好", "user_id": null}])");
  EXPECT_THAT(corpus.says("audio_files/x.wav"), ElementsAre("x '好'"));
}

TEST(PrimewordsTest, TablesThatMakeNoSense) {
  const auto problem = [](std::string_view content) {
    return ToldTree(kPrimewords).problem(kPrimewordsTable, content);
  };
  EXPECT_EQ(problem("[]"), "no problem");
  EXPECT_EQ(problem("\xEF\xBB\xBF[]\r\n"), "no problem");
  EXPECT_THAT(problem(""), HasSubstr("'[' is missing at byte 0"));
  EXPECT_THAT(problem(R"({"file": "x.wav"})"), HasSubstr("'[' is missing"));
  EXPECT_THAT(problem(R"([{"file": "x.wav", "text": "a"}, {"file": "y.w)"), HasSubstr("ends inside a text"));
  EXPECT_THAT(problem(R"([{"file": "x.wav", "text": "a"}, {"file": "y.wav")"), HasSubstr("ends too early"));
  EXPECT_THAT(problem(R"([{"file": "x.wav", "text": "a"}, {"file": "y.wav"}])"), HasSubstr("element 2: "));
  EXPECT_THAT(problem(R"([{"file": "x.wav", "text": 5}])"), HasSubstr("element 1: 'text'"));
  EXPECT_THAT(problem(R"([{"file":"x.wav","text":"a"},{"file":"x.wav","text":"b"}])"),
              HasSubstr("element 2: 'x' is in line"));
}

}  // namespace
}  // namespace shardmill::source
