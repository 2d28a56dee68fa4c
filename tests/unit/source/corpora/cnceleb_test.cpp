#include "source/corpora/tree_test.hpp"

namespace shardmill::source {
namespace {

TEST(CnCelebTest, NothingWaitsForTexts) {
  ToldTree corpus(kCnCeleb);
  EXPECT_THAT(corpus.says("c/data/id10001/singing-01-002.flac"),
              ElementsAre(HasSubstr("id10001-singing-01-002 {")));
  EXPECT_THAT(
      corpus.says("c/eval/test/id00801-play-01-002.flac"),
      ElementsAre(
          R"(id00801-play-01-002 {"speaker":"id00801","genre":"play","language":"zh","lang":"zh","subset":"eval/test"})"));
  EXPECT_THAT(corpus.says("c/data/id00801/play-01-002.flac"),
              ElementsAre(HasSubstr("data-id00801-play-01-002 {")));
}

}  // namespace
}  // namespace shardmill::source
