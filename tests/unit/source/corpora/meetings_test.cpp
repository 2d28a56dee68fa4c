#include <fmt/format.h>

#include <string>
#include <vector>

#include "source/corpora/tree_test.hpp"

namespace shardmill::source {
namespace {

struct Interval {
  double begin;
  double end;
  std::string_view text;
};

/// A tier of a TextGrid as Praat writes it.
std::string tier(std::string_view name, const std::vector<Interval>& intervals) {
  std::string lines = fmt::format(
      "    item [1]:\n        class = \"IntervalTier\" \n        name = \"{}\" \n        xmin = 0 \n"
      "        xmax = 2 \n        intervals: size = {} \n",
      name, intervals.size());
  for (std::size_t i = 0; i < intervals.size(); ++i)
    lines += fmt::format(
        "        intervals [{}]:\n            xmin = {} \n            xmax = {} \n            text = \"{}\" "
        "\n",
        i + 1, intervals[i].begin, intervals[i].end, intervals[i].text);
  return lines;
}
std::string grid(const std::string& tiers) {
  return "File type = \"ooTextFile\"\nObject class = \"TextGrid\"\n\nxmin = 0 \nxmax = 2 \ntiers? <exists> \n"
         "size = 1 \nitem []: \n" +
         tiers;
}

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

TEST(MeetingsTest, AudioWithoutAGridAndGridsWithoutAudio) {
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
