#include "source/corpora/tree_test.hpp"

namespace shardmill::source {
namespace {

TEST(YodasTest, ALine) {
  ToldTree corpus(kYodas);
  EXPECT_TRUE(corpus.tell("data/fil100/text/00000003.txt", "-a-b-00001-00000123-00000456 two  words\r\n"));
  EXPECT_FALSE(corpus.tell("data/fil100/duration/00000003.txt", "x 1\n"));
  EXPECT_THAT(
      corpus.says("data/fil100/audio/00000003/-a-b-00001-00000123-00000456.wav"),
      ElementsAre(
          R"(-a-b-00001-00000123-00000456 'two  words' {"recording":"-a-b","language":"fil","lang":"fil","captions":"automatic","subset":"fil100"})"));
  EXPECT_TRUE(corpus.corpus().belongs_to("fil100/-a-b-00001-00000123-00000456", "fil100/00000003"));
  EXPECT_FALSE(corpus.corpus().belongs_to("fil100/-a-b-00001-00000123-00000456", "fil100/00000004"));
  EXPECT_EQ(corpus.corpus().packed_name("/x/data/fil100/audio/00000003.tar.gz"), "fil100/00000003");
  EXPECT_EQ(corpus.corpus().packed_name("/x/data/fil100/audio/00000003"), "fil100/00000003");
}

}  // namespace
}  // namespace shardmill::source
