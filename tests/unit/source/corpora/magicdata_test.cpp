#include <string>

#include "source/corpora/tree_test.hpp"

namespace shardmill::source {
namespace {

constexpr std::string_view kMagicDataHeader = "UtteranceID\tSpeakerID\tTranscription\n";

TEST(MagicDataTest, ATableForEachSplitAndOneOfTheSpeakers) {
  ToldTree corpus(kMagicData);
  EXPECT_TRUE(corpus.tell("SPKINFO.txt", "SPKID\tAge\tGender\tDialect\n38_5837\t18\tfemale\the bei\n"));
  EXPECT_TRUE(corpus.tell(
      "train/TRANS.txt",
      std::string(kMagicDataHeader) + "38_5837_20170914143233.wav\t38_5837\t放一首 Yesterday 吧\n"));
  EXPECT_TRUE(corpus.tell("dev/TRANS.txt",
                          std::string(kMagicDataHeader) + "5_541_20170607142131.wav\t5_541\t你好\n"));
  EXPECT_THAT(corpus.says("train/38_5837/38_5837_20170914143233.wav"),
              ElementsAre("38_5837_20170914143233 '放一首 Yesterday 吧' "
                          R"({"speaker":"38_5837","gender":"female","subset":"train"})"));
  EXPECT_THAT(corpus.says("dev/5_541/5_541_20170607142131.wav"),
              ElementsAre(R"(5_541_20170607142131 '你好' {"speaker":"5_541","subset":"dev"})"));
  EXPECT_THAT(corpus.lost(), IsEmpty());
}

TEST(MagicDataTest, AudioWaitsForTheTableOfItsSplit) {
  ToldTree corpus(kMagicData);
  corpus.tell("dev/TRANS.txt", kMagicDataHeader);
  EXPECT_THAT(corpus.says("train/1_2/1_2_20170101000000.wav"), ElementsAre("?"));
  EXPECT_EQ(corpus.corpus().awaited("train/1_2/1_2_20170101000000.wav"),
            corpus.corpus().awaited("train/TRANS.txt"));
  // The table was read, and does not have it: what is known then is what the path says.
  EXPECT_THAT(corpus.says("dev/1_2/1_2_20170101000000.wav"),
              ElementsAre(R"(1_2_20170101000000 {"speaker":"1_2","subset":"dev"})"));
}

TEST(MagicDataTest, AudioThatIsMissing) {
  ToldTree train_only(kMagicData, {.subsets = {"train"}});
  train_only.tell("train/TRANS.txt", std::string(kMagicDataHeader) + "a.wav\t1_2\tx\n");
  train_only.tell("dev/TRANS.txt", std::string(kMagicDataHeader) + "b.wav\t1_2\tx\n");
  // What nobody asked for is not missing.
  EXPECT_THAT(train_only.lost(),
              ElementsAre("a: train/TRANS.txt: line 2: 'a' has a transcript, but there is no such audio"));
}

TEST(MagicDataTest, LinesThatAreOdd) {
  ToldTree corpus(kMagicData);
  corpus.tell("train/TRANS.txt",
              "\xEF\xBB\xBF" + std::string(kMagicDataHeader) + "\r\na.wav\t1_2\t 好 \t\r\nb.wav\t1_2\n");
  EXPECT_THAT(corpus.says("train/1_2/a.wav"), ElementsAre(HasSubstr("a '好'")));
  EXPECT_THAT(corpus.says("train/1_2/b.wav"), ElementsAre(HasSubstr("b ''")));
  EXPECT_THAT(corpus.problem("dev/TRANS.txt", "a.wav\t1_2\tx\n"), HasSubstr("line 1: 'a' is in line 3 of"));
  EXPECT_THAT(corpus.problem("test/TRANS.txt", "c.wav\t1_2\t\xC4\xE3\xBA\xC3\n"),
              HasSubstr("it may be GB18030 (Chinese) or"));
}

TEST(MagicDataTest, WhereItsTablesMayLie) {
  const ToldTree told(kMagicData);
  EXPECT_EQ(told.corpus().above("TRANS.txt"), TreeCorpus::Above::transcripts);
  EXPECT_EQ(told.corpus().above("SPKINFO.txt"), TreeCorpus::Above::remarks);
  EXPECT_EQ(told.corpus().above("README.txt"), TreeCorpus::Above::no);
}

}  // namespace
}  // namespace shardmill::source
