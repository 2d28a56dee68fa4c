#include "source/corpora/tree_test.hpp"

namespace shardmill::source {
namespace {

TEST(ArcticTest, SpeakersReadTheSame) {
  ToldTree corpus(kArctic);
  corpus.tell("cmu_us_bdl_arctic/etc/txt.done.data",
              "( arctic_a0001 \"Author of the \"danger\" trail.\" )\n");
  corpus.tell("cmu_us_slt_arctic/etc/txt.done.data", "(arctic_a0001 \"Other.\")\n");
  EXPECT_THAT(
      corpus.says("cmu_us_bdl_arctic/wav/arctic_a0001.wav"),
      ElementsAre(
          R"(bdl_arctic_a0001 'Author of the "danger" trail.' {"speaker":"bdl","language":"en","lang":"en"})"));
  EXPECT_THAT(corpus.says("cmu_us_slt_arctic/wav/arctic_a0001.wav"), ElementsAre(HasSubstr("'Other.'")));
  EXPECT_THAT(corpus.says("cmu_us_slt_arctic/orig/arctic_a0001.wav"), ElementsAre("no audio"));
  EXPECT_THAT(corpus.says("cmu_us_rms_arctic/wav/arctic_a0001.wav"), ElementsAre("?"));
  EXPECT_THAT(corpus.lost(), IsEmpty());
}

TEST(ArcticTest, LinesThatMakeNoSense) {
  for (const char* line : {"arctic_a0001 \"x\"\n", "( arctic_a0001 )\n", "( arctic_a0001 \"x )\n"})
    EXPECT_THAT(ToldTree(kArctic).problem("x/etc/txt.done.data", line), HasSubstr("line 1: is not made of"));
}

}  // namespace
}  // namespace shardmill::source
