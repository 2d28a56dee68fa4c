#include "source/corpora/tree_test.hpp"

namespace shardmill::source {
namespace {

TEST(An4Test, WithAndWithoutTheSignsOfABeginning) {
  ToldTree corpus(kAn4);
  corpus.tell("an4/etc/an4_train.transcription", "<s> RUBOUT G M </s> (an251-fash-b)\n");
  corpus.tell("an4/etc/an4_test.transcription", "FIVE (cen1-mmxg-b)\n");
  EXPECT_THAT(
      corpus.says("an4/wav/an4_clstk/fash/an251-fash-b.sph"),
      ElementsAre(R"(an251-fash-b 'RUBOUT G M' {"speaker":"fash","gender":"f","language":"en","lang":"en",)"
                  R"("subset":"train"})"));
  EXPECT_THAT(corpus.says("an4/wav/an4test_clstk/mmxg/cen1-mmxg-b.sph"),
              ElementsAre(HasSubstr(R"('FIVE' {"speaker":"mmxg","gender":"m")")));
  EXPECT_THAT(corpus.says("an4/wav/an4_clstk/x/y.sph"), ElementsAre("?"));
  EXPECT_THAT(corpus.lost(), IsEmpty());
}

TEST(An4Test, ALineWithoutAnId) {
  EXPECT_THAT(ToldTree(kAn4).problem("an4/etc/an4_train.transcription", "<s> A </s>\n"),
              HasSubstr("line 1: does not end with (ID)"));
}

}  // namespace
}  // namespace shardmill::source
