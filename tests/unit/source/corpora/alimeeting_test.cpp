#include "source/corpora/text_grid.hpp"
#include "source/corpora/tree_test.hpp"

namespace shardmill::source {
namespace {

TEST(AliMeetingTest, FarMicrophonesHaveTheGridOfTheirMeeting) {
  ToldTree corpus(kAliMeeting);
  const std::string far = "Eval_Ali/Eval_Ali_far/";
  EXPECT_TRUE(corpus.tell(
      far + "textgrid_dir/R8001_M8004.TextGrid",
      grid(tier("R8001_M8004_F_SPK8013", {{0, 0.5, "你好"}}) + tier("M_SPK8014", {{1, 2, "嗯"}}))));
  EXPECT_EQ(corpus.corpus().awaited(far + "audio_dir/R8001_M8004_MS801.wav"),
            corpus.corpus().awaited(far + "textgrid_dir/R8001_M8004.TextGrid"));
  EXPECT_THAT(
      corpus.says(far + "audio_dir/R8001_M8004_MS801.wav"),
      ElementsAre("R8001_M8004_MS801-SPK8013-0000 [0 0.5] '你好' "
                  R"({"speaker":"SPK8013","gender":"F","language":"zh","lang":"zh","subset":"eval"})",
                  "R8001_M8004_MS801-SPK8014-0000 [1 2] '嗯' "
                  R"({"speaker":"SPK8014","gender":"M","language":"zh","lang":"zh","subset":"eval"})"));
}

TEST(AliMeetingTest, NearMicrophonesAreOneForEachSpeaker) {
  ToldTree corpus(kAliMeeting);
  // The same meeting near and far: each has grids of its own.
  corpus.tell("Train_Ali_near/textgrid_dir/R0003_M0046_F_SPK0093.TextGrid",
              grid(tier("R0003_M0046_F_SPK0093", {{0, 1, "好"}})));
  corpus.tell("Train_Ali_far/textgrid_dir/R0003_M0046.TextGrid",
              grid(tier("R0003_M0046_F_SPK0093", {{0, 1, "好"}})));
  EXPECT_THAT(
      corpus.says("Train_Ali_near/audio_dir/R0003_M0046_F_SPK0093.wav"),
      ElementsAre("R0003_M0046_F_SPK0093-SPK0093-0000 [0 1] '好' "
                  R"({"speaker":"SPK0093","gender":"F","language":"zh","lang":"zh","subset":"train"})"));
  EXPECT_THAT(corpus.says("Train_Ali_far/audio_dir/R0003_M0046_MS002.wav"),
              ElementsAre(HasSubstr("R0003_M0046_MS002-SPK0093-0000 [0 1] '好'")));
  EXPECT_THAT(corpus.lost(), IsEmpty());
}

TEST(AliMeetingTest, ATierWithoutASpeakerInItsName) {
  ToldTree corpus(kAliMeeting);
  corpus.tell("Eval_Ali_near/textgrid_dir/R8001_M8004_N_SPK8013.TextGrid",
              grid(tier("tier", {{0, 1, "好"}})));
  EXPECT_THAT(corpus.says("Eval_Ali_near/audio_dir/R8001_M8004_N_SPK8013.wav"),
              ElementsAre(HasSubstr(R"({"speaker":"SPK8013","language")")));
  corpus.tell("Test_Ali_far/textgrid_dir/R1_M1.TextGrid", grid(tier("somebody", {{0, 1, "好"}})));
  EXPECT_THAT(corpus.says("Test_Ali_far/audio_dir/R1_M1_MS001.wav"),
              ElementsAre(HasSubstr(R"("speaker":"somebody","language":"zh","lang":"zh","subset":"test")")));
}

}  // namespace
}  // namespace shardmill::source
