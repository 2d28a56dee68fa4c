#include "source/corpora/text_grid.hpp"
#include "source/corpora/tree_test.hpp"

namespace shardmill::source {
namespace {

TEST(Aishell4Test, SpeakersAreNumberedInEachMeeting) {
  ToldTree corpus(kAishell4);
  EXPECT_TRUE(corpus.tell("train_L/TextGrid/20200706_L_R001S01C01.TextGrid",
                          grid(tier("001", {{0, 0.5, ""}, {0.5, 1, "<sil>你好"}, {1, 2, ""}}) +
                               tier("002", {{0, 0.25, "他说\"\"好\"\""}, {0.25, 2, ""}}))));
  EXPECT_FALSE(corpus.tell("train_L/TextGrid/20200706_L_R001S01C01.rttm", "SPEAKER"));
  // By their beginnings, whatever the tier.
  EXPECT_THAT(
      corpus.says("train_L/wav/20200706_L_R001S01C01.flac"),
      ElementsAre(
          "20200706_L_R001S01C01-002-0000 [0 0.25] '他说\"好\"' "
          R"({"speaker":"20200706_L_R001S01C01-002","language":"zh","lang":"zh","subset":"train_L"})",
          "20200706_L_R001S01C01-001-0001 [0.5 1] '<sil>你好' "
          R"({"speaker":"20200706_L_R001S01C01-001","language":"zh","lang":"zh","subset":"train_L"})"));
  EXPECT_THAT(corpus.lost(), IsEmpty());
}

TEST(Aishell4Test, EveryPartIsASubset) {
  for (const char* part : {"train_L", "train_M", "train_S", "test"}) {
    ToldTree corpus(kAishell4);
    corpus.tell(fmt::format("{}/TextGrid/m.TextGrid", part), grid(tier("001", {{0, 1, "好"}})));
    EXPECT_THAT(corpus.says(fmt::format("{}/wav/m.flac", part)),
                ElementsAre(HasSubstr(fmt::format(R"("subset":"{}")", part))));
  }
}

TEST(Aishell4Test, AudioWithoutAGridAndGridsWithoutAudio) {
  ToldTree corpus(kAishell4);
  EXPECT_THAT(corpus.says("test/wav/a.flac"), ElementsAre("?"));
  corpus.tell("test/TextGrid/b.TextGrid", grid(tier("001", {{0, 1, "好"}, {1, 2, "嗯"}})));
  EXPECT_THAT(corpus.says("test/wav/a.flac"), ElementsAre("?"));
  corpus.end();
  EXPECT_THAT(corpus.says("test/wav/a.flac"), ElementsAre(R"(a {"subset":"test"})"));
  EXPECT_THAT(corpus.lost(),
              ElementsAre("b: test/TextGrid/b.TextGrid: 'b' has 2 transcribed segments, but there "
                          "is no such audio"));
  EXPECT_THAT(corpus.problem("train_L/TextGrid/b.TextGrid", grid(tier("001", {{0, 1, "好"}}))),
              HasSubstr("is a second TextGrid of the same recording"));
}

}  // namespace
}  // namespace shardmill::source
