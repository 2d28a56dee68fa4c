#include "source/corpora/tree_test.hpp"

namespace shardmill::source {
namespace {

TEST(WenetSpeech4TtsTest, AFileNamesItsUtterance) {
  ToldTree corpus(kWenetSpeech4Tts);
  const std::string part = "Standard/WenetSpeech4TTS_Standard_0/";
  EXPECT_TRUE(corpus.tell(part + "txts/a.txt", "a\tone\r\n[[0.0, 1.0, 'one']]\r\n"));
  EXPECT_TRUE(corpus.tell("DNSMOS_P808Scores/Basic_DNSMOS.lst", "a 3.5\n"));
  EXPECT_THAT(
      corpus.says(part + "wavs/a.wav"),
      ElementsAre(
          R"(a 'one' {"timestamp":"[[0.0, 1.0, 'one']]","dnsmos":3.5,"language":"zh","lang":"zh","subset":"Basic Standard"})"));
  EXPECT_THAT(ToldTree(kWenetSpeech4Tts).problem("txts/b.txt", "a\tone\n"), HasSubstr("is about 'a'"));
  EXPECT_THAT(ToldTree(kWenetSpeech4Tts).problem("x/Basic_DNSMOS.lst", "a b\n"), HasSubstr("line 1"));
}

}  // namespace
}  // namespace shardmill::source
