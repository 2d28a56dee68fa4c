#include "source/corpora/tree_test.hpp"

namespace shardmill::source {
namespace {

constexpr std::string_view kThreeLines =
    "绿 是 阳春 l = 烟景\nlv4 shi4 yang2 chun1 yan1 jing3\nl v4 sh ix4\n";

TEST(Thchs30Test, WordsPinyinAndPhones) {
  const auto text = [](const std::string& field) {
    ToldTree corpus(kThchs30, {.text_field = field});
    EXPECT_TRUE(corpus.tell("data_thchs30/data/A11_0.wav.trn", kThreeLines));
    return corpus.says("data_thchs30/data/A11_0.wav").front();
  };
  EXPECT_EQ(text(""), R"(A11_0 '绿 是 阳春 l = 烟景' {"speaker":"A11"})");
  EXPECT_EQ(text("words"), R"(A11_0 '绿 是 阳春 l = 烟景' {"speaker":"A11"})");
  EXPECT_EQ(text("pinyin"), R"(A11_0 'lv4 shi4 yang2 chun1 yan1 jing3' {"speaker":"A11"})");
  EXPECT_EQ(text("phones"), R"(A11_0 'l v4 sh ix4' {"speaker":"A11"})");
}

TEST(Thchs30Test, TheFoldersOfTheSplitsOnlyPointToTheData) {
  ToldTree corpus(kThchs30);
  EXPECT_TRUE(corpus.tell("data_thchs30/data/D4_750.wav.trn", kThreeLines));
  EXPECT_TRUE(corpus.tell("data_thchs30/test/D4_750.wav.trn", "../data/D4_750.wav.trn\n"));
  EXPECT_THAT(corpus.says("data_thchs30/test/D4_750.wav"), ElementsAre("no audio"));
  EXPECT_THAT(corpus.says("data_thchs30/data/D4_750.wav"),
              ElementsAre(HasSubstr(R"({"speaker":"D4","subset":"test"})")));
  EXPECT_FALSE(corpus.tell("data_thchs30/lm_word/lexicon.txt", "SIL sil"));
  EXPECT_THAT(corpus.lost(), IsEmpty());
}

TEST(Thchs30Test, WhoWantsASubsetWaitsForTheSplit) {
  ToldTree corpus(kThchs30, {.subsets = {"train"}});
  corpus.tell("data/A11_0.wav.trn", kThreeLines);
  EXPECT_THAT(corpus.says("data/A11_0.wav"), ElementsAre("?"));
  corpus.tell("train/A11_0.wav.trn", "../data/A11_0.wav.trn");
  EXPECT_THAT(corpus.says("data/A11_0.wav"), ElementsAre(HasSubstr(R"("subset":"train")")));
  corpus.tell("data/A11_1.wav.trn", kThreeLines);
  corpus.end();
  EXPECT_THAT(corpus.says("data/A11_1.wav"), ElementsAre(::testing::Not(HasSubstr("subset"))));
}

TEST(Thchs30Test, AudioWaitsForItsTranscript) {
  ToldTree corpus(kThchs30);
  EXPECT_THAT(corpus.says("data/A2_0.wav"), ElementsAre("?"));
  EXPECT_EQ(corpus.corpus().awaited("data/A2_0.wav"), corpus.corpus().awaited("data/A2_0.wav.trn"));
  corpus.end();
  EXPECT_THAT(corpus.says("data/A2_0.wav"), ElementsAre(R"(A2_0 {"speaker":"A2"})"));
}

TEST(Thchs30Test, TranscriptsThatAreCut) {
  const auto problem = [](const std::string& field, std::string_view content) {
    return ToldTree(kThchs30, {.text_field = field}).problem("data/A2_0.wav.trn", content);
  };
  EXPECT_EQ(problem("", "词\r\n"), "no problem");
  EXPECT_THAT(problem("", "\r\n\n"), HasSubstr("is an empty transcript"));
  EXPECT_THAT(problem("pinyin", "词\n"), HasSubstr("has no line of pinyin"));
  EXPECT_THAT(problem("phones", "词\nci2\n"), HasSubstr("has no line of phones"));
}

TEST(Thchs30Test, WhereTheSplitsAreLostNothingIsMixed) {
  ToldTree corpus(kThchs30, {.needs_splits = true});
  corpus.tell("data_thchs30/data/A11_0.wav.trn", "a\nb\nc\n");
  corpus.tell("data_thchs30/data/A11_1.wav.trn", "a\nb\nc\n");
  corpus.tell("data_thchs30/dev/A11_1.wav.trn", "../data/A11_1.wav.trn\n");
  corpus.end();
  EXPECT_THROW(corpus.says("data_thchs30/data/A11_0.wav"), Error);
  EXPECT_THAT(corpus.says("data_thchs30/data/A11_1.wav").front(), ::testing::HasSubstr(R"("subset":"dev")"));
}

}  // namespace
}  // namespace shardmill::source
