#include "source/corpora/tree_test.hpp"

namespace shardmill::source {
namespace {

TEST(LjSpeechTest, OneReaderAndThreeColumns) {
  ToldTree corpus(kLjSpeech);
  EXPECT_FALSE(corpus.tell("LJSpeech-1.1/README", "The LJ Speech Dataset"));
  EXPECT_TRUE(
      corpus.tell("LJSpeech-1.1/metadata.csv",
                  "LJ001-0007|the earliest book, in 1455,|the earliest book, in fourteen fifty-five,\n"
                  "LJ002-0026|in the three years, \"1811,\"|in the three years, \"eighteen eleven,\"\n"));
  EXPECT_THAT(corpus.says("LJSpeech-1.1/wavs/LJ001-0007.wav"),
              ElementsAre("LJ001-0007 'the earliest book, in fourteen fifty-five,' "
                          R"({"speaker":"LJ","gender":"F","language":"en","lang":"en"})"));
  // Quotes are no part of the form: the publisher's table is not quoted.
  EXPECT_THAT(corpus.says("LJSpeech-1.1/wavs/LJ002-0026.wav"),
              ElementsAre(HasSubstr("'in the three years, \"eighteen eleven,\"'")));
  EXPECT_THAT(corpus.lost(), IsEmpty());
}

TEST(LjSpeechTest, TheRawText) {
  ToldTree corpus(kLjSpeech, {.text_field = "raw"});
  corpus.tell("metadata.csv", "LJ001-0007|in 1455,|in fourteen fifty-five,\n");
  EXPECT_THAT(corpus.says("wavs/LJ001-0007.wav"), ElementsAre(HasSubstr("'in 1455,'")));
}

TEST(LjSpeechTest, WithoutANormalisedTextTheRawOneIsTaken) {
  ToldTree corpus(kLjSpeech);
  corpus.tell("metadata.csv", "a|only one text\nb|an empty one||\n");
  EXPECT_THAT(corpus.says("wavs/a.wav"), ElementsAre(HasSubstr("'only one text'")));
  EXPECT_THAT(corpus.says("wavs/b.wav"), ElementsAre(HasSubstr("'an empty one'")));
}

TEST(LjSpeechTest, AudioWaitsForTheTable) {
  ToldTree corpus(kLjSpeech);
  EXPECT_THAT(corpus.says("wavs/a.wav"), ElementsAre("?"));
  corpus.tell("metadata.csv", "b|x|x\n");
  EXPECT_THAT(corpus.says("wavs/a.wav"), ElementsAre(::testing::Not(HasSubstr("'"))));
  EXPECT_THAT(corpus.lost(),
              ElementsAre("b: metadata.csv: line 1: 'b' has a transcript, but there is no such audio"));
}

TEST(LjSpeechTest, LinesThatMakeNoSense) {
  const auto problem = [](std::string_view content) {
    return ToldTree(kLjSpeech).problem("metadata.csv", content);
  };
  EXPECT_EQ(problem(""), "no problem");
  EXPECT_EQ(problem("\xEF\xBB\xBFLJ001|a|b\r\n\r\n"), "no problem");
  EXPECT_THAT(problem("LJ001|a|b\nLJ002\n"), HasSubstr("line 2: is not made of an id and its texts"));
  EXPECT_THAT(problem("a|x|y\na|x|y\n"), HasSubstr("line 2: 'a' is in line 1 of metadata.csv already"));
  EXPECT_THAT(problem("a|x\xFF|y\n"), HasSubstr("line 1: column 4: is not UTF-8 (byte 0xFF)"));
}

}  // namespace
}  // namespace shardmill::source
