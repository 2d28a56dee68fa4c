#include "source/corpora/tree_test.hpp"

namespace shardmill::source {
namespace {

constexpr std::string_view kLine =
    R"({"audio_document_id": "doc.mp3", "identifier": "doc", "training_data": {"duration_ms": [14920, 15000], )"
    R"("label": ["the first part", "and the \"second\""], "name": ["doc/a_SLASH_b_DOT_mp3_00000.flac", )"
    R"("doc/a_SLASH_b_DOT_mp3_00001.flac"]}})";

TEST(PeoplesSpeechTest, ALineForEachRecordingWithAllItsPieces) {
  ToldTree corpus(kPeoplesSpeech);
  EXPECT_TRUE(corpus.tell("peoples_speech/train/clean.json", kLine));
  corpus.end();
  EXPECT_THAT(corpus.says("peoples_speech/train/clean/doc/a_SLASH_b_DOT_mp3_00000.flac"),
              ElementsAre("a_SLASH_b_DOT_mp3_00000 'the first part' "
                          R"({"recording":"doc","language":"en","lang":"en","subset":"train/clean"})"));
  EXPECT_THAT(corpus.lost(),
              ElementsAre(HasSubstr("clean.json: line 1: 'a_SLASH_b_DOT_mp3_00001' has a transcript")));
}

TEST(PeoplesSpeechTest, SplitsAndTheirKinds) {
  const auto subset = [](std::string_view list) {
    ToldTree corpus(kPeoplesSpeech);
    if (!corpus.tell(list, R"({"training_data": {"label": ["x"], "name": ["a.flac"]}})"))
      return std::string("is not read");
    return corpus.says("x/a.flac").front();
  };
  EXPECT_THAT(subset("train/clean_sa.json"), HasSubstr(R"("subset":"train/clean_sa")"));
  EXPECT_THAT(subset("train/dirty.json"), HasSubstr(R"("subset":"train/dirty")"));
  EXPECT_THAT(subset("validation/validation.json"), HasSubstr(R"("subset":"validation")"));
  EXPECT_THAT(subset("test/test.json"), HasSubstr(R"("subset":"test")"));
  EXPECT_THAT(subset("dev/dev.json"), HasSubstr(R"("subset":"dev")"));
  EXPECT_EQ(subset("other/manifest.json"), "is not read");
  EXPECT_EQ(subset("train.json"), "is not read");
}

TEST(PeoplesSpeechTest, AudioWaitsForAllLists) {
  ToldTree corpus(kPeoplesSpeech);
  corpus.tell("train/clean.json", kLine);
  EXPECT_THAT(corpus.says("train/dirty/x.flac"), ElementsAre("?"));
  corpus.end();
  EXPECT_THAT(corpus.says("train/dirty/x.flac"), ElementsAre(R"(x {"subset":"train/dirty"})"));
  EXPECT_THAT(corpus.says("train/dirty/dirty_000000/y.flac"), ElementsAre(R"(y {"subset":"train/dirty"})"));
  EXPECT_THAT(corpus.says("test/test_000000/z.flac"), ElementsAre(R"(z {"subset":"test"})"));
  EXPECT_THAT(corpus.says("elsewhere/z.flac"), ElementsAre("z"));
}

TEST(PeoplesSpeechTest, LinesThatMakeNoSense) {
  const auto problem = [](std::string_view content) {
    return ToldTree(kPeoplesSpeech).problem("train/clean.json", content);
  };
  EXPECT_EQ(problem("\r\n"), "no problem");
  EXPECT_EQ(problem(R"({"training_data": {"label": [], "name": []}})"), "no problem");
  EXPECT_THAT(problem(R"({"training_data": {"label": ["x"], "name": []}})"),
              HasSubstr("clean.json: line 1: has different numbers of labels and names"));
  EXPECT_THAT(problem(std::string(kLine) + "\n" + std::string(kLine.substr(0, 100))),
              HasSubstr("clean.json: line 2: "));
  EXPECT_THAT(problem(std::string(kLine) + "\n" + std::string(kLine)),
              HasSubstr("line 2: 'a_SLASH_b_DOT_mp3_00000' is in line 1"));
  EXPECT_THAT(problem(R"({"identifier": "x"})"), HasSubstr("line 1: "));
}

}  // namespace
}  // namespace shardmill::source
