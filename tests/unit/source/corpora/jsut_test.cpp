#include "source/corpora/tree_test.hpp"

namespace shardmill::source {
namespace {

TEST(JsutTest, ATextMayHoldColons) {
  ToldTree corpus(kJsut);
  EXPECT_THAT(corpus.says("jsut/basic5000/wav/BASIC5000_0001.wav"), ElementsAre("?"));
  EXPECT_TRUE(corpus.tell("jsut/basic5000/transcript_utf8.txt", "BASIC5000_0001:a:b\nBASIC5000_0002:c\n"));
  EXPECT_THAT(
      corpus.says("jsut/basic5000/wav/BASIC5000_0001.wav"),
      ElementsAre(HasSubstr(R"(BASIC5000_0001 'a:b' {"speaker":"JSUT","gender":"female","language":"ja")")));
  EXPECT_THAT(corpus.says("jsut/basic5000/wav/BASIC5000_0009.wav"),
              ElementsAre(HasSubstr("BASIC5000_0009 {")));
  EXPECT_THAT(corpus.says("jsut/loanword128/wav/LOANWORD128_001.wav"), ElementsAre("?"));
  EXPECT_THAT(corpus.lost(), ElementsAre(HasSubstr("line 2: 'BASIC5000_0002' has a transcript")));
}

TEST(JsutTest, ALineWithoutAColon) {
  EXPECT_THAT(ToldTree(kJsut).problem("x/transcript_utf8.txt", "a:b\nc\n"),
              HasSubstr("line 2: is not made of an id and its text"));
  EXPECT_THAT(ToldTree(kJsut).lost(), IsEmpty());
}

}  // namespace
}  // namespace shardmill::source
