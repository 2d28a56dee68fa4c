#include "source/corpora/tree_test.hpp"

namespace shardmill::source {
namespace {

TEST(FleursTest, TheTextsOfALine) {
  constexpr const char* kTable = "3\t17.wav\tDie \"kat\".\tdie kat\td i e |\t1600\tMALE\n";
  for (const auto& [field, text] :
       {std::pair("", "die kat"), std::pair("raw_transcription", "Die \"kat\".")}) {
    ToldTree corpus(kFleurs, {.text_field = field});
    EXPECT_TRUE(corpus.tell("data/af_za/train.tsv", kTable));
    EXPECT_THAT(
        corpus.says("data/af_za/audio/train/17.wav"),
        ElementsAre(fmt::format(
            R"(17 '{}' {{"gender":"MALE","language":"af_za","lang":"af_za","subset":"train"}})", text)));
    EXPECT_THAT(corpus.says("data/af_za/audio/train/18.wav"), ElementsAre("?"));
    EXPECT_THAT(corpus.lost(), IsEmpty());
  }
}

TEST(FleursTest, ALineThatIsCut) {
  EXPECT_THAT(ToldTree(kFleurs).problem("x/dev.tsv", "3\t17.wav\tDie kat.\n"),
              HasSubstr("line 1: has fewer than the 7 fields"));
}

}  // namespace
}  // namespace shardmill::source
