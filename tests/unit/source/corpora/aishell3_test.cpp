#include "source/corpora/tree_test.hpp"

namespace shardmill::source {
namespace {

constexpr std::string_view kSpeakers =
    "# Speaker Information\n# B: 14 - 25\n\nSSB0005\tB\tfemale\tnorth\nSSB0009\tB\tmale\tsouth\n";

TEST(Aishell3Test, CharactersStandBetweenTheirPinyin) {
  ToldTree corpus(kAishell3);
  EXPECT_TRUE(corpus.tell("data_aishell3/spk-info.txt", kSpeakers));
  EXPECT_TRUE(corpus.tell("data_aishell3/train/content.txt",
                          "SSB00050001.wav\t广 guang3 州 zhou1 女 nv3 大 da4 学 xue2 生 sheng1\n"));
  EXPECT_FALSE(corpus.tell("data_aishell3/train/label_train-set.txt", "SSB00050001|guang3 zhou1|广州%"));
  EXPECT_THAT(corpus.says("data_aishell3/train/wav/SSB0005/SSB00050001.wav"),
              ElementsAre("SSB00050001 '广州女大学生' "
                          R"({"speaker":"SSB0005","gender":"female","subset":"train"})"));
  EXPECT_THAT(corpus.lost(), IsEmpty());
}

TEST(Aishell3Test, ThePinyin) {
  ToldTree corpus(kAishell3, {.text_field = "pinyin"});
  corpus.tell("test/content.txt",
              "SSB00090001.wav\t你 ni3 好 hao3\nSSB00090002.wav\t好 hao3\nSSB00090003.wav\n");
  EXPECT_THAT(corpus.says("test/wav/SSB0009/SSB00090001.wav"), ElementsAre(HasSubstr("'ni3 hao3'")));
  EXPECT_THAT(corpus.says("test/wav/SSB0009/SSB00090002.wav"), ElementsAre(HasSubstr("'hao3'")));
  EXPECT_THAT(corpus.says("test/wav/SSB0009/SSB00090003.wav"), ElementsAre(HasSubstr("SSB00090003 ''")));
}

TEST(Aishell3Test, AudioWaitsForTheTableOfItsSplit) {
  ToldTree corpus(kAishell3);
  corpus.tell("data_aishell3/test/content.txt", "SSB00090001.wav\t好 hao3\n");
  EXPECT_THAT(corpus.says("data_aishell3/train/wav/SSB0005/SSB00050001.wav"), ElementsAre("?"));
  EXPECT_EQ(corpus.corpus().awaited("data_aishell3/train/wav/SSB0005/SSB00050001.wav"),
            "data_aishell3/train");
  EXPECT_EQ(corpus.corpus().awaited("data_aishell3/train/content.txt"), "data_aishell3/train");
  corpus.tell("data_aishell3/train/content.txt", "\n");
  EXPECT_THAT(corpus.says("data_aishell3/train/wav/SSB0005/SSB00050001.wav"),
              ElementsAre(R"(SSB00050001 {"speaker":"SSB0005","subset":"train"})"));
  EXPECT_THAT(corpus.lost(), ElementsAre(HasSubstr("SSB00090001: data_aishell3/test/content.txt: line 1: ")));
}

TEST(Aishell3Test, TextsThatMakeNoSense) {
  ToldTree corpus(kAishell3);
  EXPECT_EQ(corpus.problem("spk-info.txt", ""), "no problem");
  EXPECT_EQ(corpus.problem("spk-info.txt", "SSB0005 B female north\nSSB0005\n"), "no problem");
  EXPECT_EQ(corpus.problem("train/content.txt", "a.wav\t好 hao3\r\n\r\n"), "no problem");
  EXPECT_THAT(corpus.problem("test/content.txt", "b.wav\t好 hao3\na.wav\t好 hao3\n"),
              HasSubstr("line 2: 'a' is in line 1 of train/content.txt already"));
}

}  // namespace
}  // namespace shardmill::source
