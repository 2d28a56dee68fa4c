#include "source/corpora/tree_test.hpp"

namespace shardmill::source {
namespace {

TEST(ZerothTest, SpeakersAndTheirScripts) {
  ToldTree corpus(kZeroth);
  EXPECT_TRUE(corpus.corpus().awaits_remarks());
  corpus.tell("zeroth/AUDIO_INFO", "SPEAKERID|NAME|SEX|SCRIPTID|DATASET\n103|A|m|003|train_data_01\n");
  EXPECT_FALSE(corpus.corpus().awaits_remarks());
  corpus.tell("zeroth/train_data_01/003/103/103_003.trans.txt", "103_003_0000 a b\n");
  EXPECT_THAT(corpus.says("zeroth/train_data_01/003/103/103_003_0000.flac"),
              ElementsAre(R"(103_003_0000 'a b' {"speaker":"103","gender":"m","language":"ko","lang":"ko",)"
                          R"("subset":"train_data_01"})"));
  EXPECT_THAT(corpus.says("zeroth/train_data_01/003/104/104_003_0000.flac"), ElementsAre("?"));
  EXPECT_THAT(corpus.lost(), IsEmpty());
}

TEST(ZerothTest, TheSameIdTwice) {
  EXPECT_THAT(ToldTree(kZeroth).problem("x/1/103/103_003.trans.txt", "103_003_0000 a\n103_003_0000 b\n"),
              HasSubstr("line 2: '103_003_0000' is in line 1"));
}

}  // namespace
}  // namespace shardmill::source
