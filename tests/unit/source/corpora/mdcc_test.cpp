#include "source/corpora/tree_test.hpp"

namespace shardmill::source {
namespace {

TEST(MdccTest, TheTableNamesTheFileOfTheText) {
  ToldTree corpus(kMdcc);
  EXPECT_TRUE(corpus.tell(
      "d/cnt_asr_valid_metadata.csv",
      "audio_path,text_path,gender,duration\n./audio/a_1.5.wav,./transcription/b_1.5.txt,male,1\n"));
  EXPECT_THAT(corpus.says("d/audio/a_1.5.wav"), ElementsAre("?"));
  EXPECT_TRUE(corpus.tell("d/transcription/b_1.5.txt", "words\n"));
  EXPECT_THAT(
      corpus.says("d/audio/a_1.5.wav"),
      ElementsAre(R"(a_1.5 'words' {"gender":"male","language":"yue","lang":"yue","subset":"valid"})"));
}

}  // namespace
}  // namespace shardmill::source
