#include "source/corpora/tree_test.hpp"

namespace shardmill::source {
namespace {

constexpr std::string_view kStCmdsStart = "ST-CMDS-20170001_1-OS/20170001P00001A0001";

std::string stcmds_file(std::string_view extension) {
  return std::string(kStCmdsStart) + std::string(extension);
}

TEST(StCmdsTest, ATextBesideEachWav) {
  ToldTree corpus(kStCmds);
  EXPECT_TRUE(corpus.tell(stcmds_file(".txt"), "今天你不是要和伯父伯母吃饭吗"));
  EXPECT_FALSE(corpus.tell(stcmds_file(".metadata"), "DBN\tST-CMDS\n"));
  EXPECT_FALSE(corpus.tell("ST-CMDS-20170001_1-OS/README.txt", "about it"));
  EXPECT_THAT(corpus.says(stcmds_file(".wav")),
              ElementsAre(R"(20170001P00001A0001 '今天你不是要和伯父伯母吃饭吗' {"speaker":"P00001A"})"));
}

TEST(StCmdsTest, TheLetterBelongsToTheSpeaker) {
  // 855 speakers said 120 sentences each: the A and the I of one number are two people.
  ToldTree corpus(kStCmds);
  corpus.end();
  EXPECT_THAT(corpus.says("20170001P00001I0001.wav"),
              ElementsAre(R"(20170001P00001I0001 {"speaker":"P00001I"})"));
}

TEST(StCmdsTest, ANameThatIsTooShortNamesNoSpeaker) {
  ToldTree corpus(kStCmds);
  corpus.end();
  EXPECT_THAT(corpus.says("20170001P00001A.wav"), ElementsAre("20170001P00001A"));
  EXPECT_THAT(corpus.says("x.wav"), ElementsAre("x"));
}

TEST(StCmdsTest, AudioWaitsForItsOwnText) {
  ToldTree corpus(kStCmds);
  EXPECT_THAT(corpus.says(stcmds_file(".wav")), ElementsAre("?"));
  EXPECT_EQ(corpus.corpus().awaited(stcmds_file(".wav")), kStCmdsStart);
  EXPECT_EQ(corpus.corpus().awaited(stcmds_file(".txt")), kStCmdsStart);
}

TEST(StCmdsTest, TextsThatAreEmptyLostOrNotUtf8) {
  ToldTree corpus(kStCmds);
  EXPECT_EQ(corpus.problem("d/20170001P00002A0001.txt", "\xEF\xBB\xBF\r\n"), "no problem");
  EXPECT_THAT(corpus.says("d/20170001P00002A0001.wav"), ElementsAre(HasSubstr("20170001P00002A0001 ''")));
  EXPECT_THAT(corpus.problem("d/20170001P00002A0002.txt", "\xBD\xF1\xCC\xEC"),
              HasSubstr("it may be GB18030 (Chinese) or"));
  corpus.tell("d/20170001P00002A0003.txt", "今天");
  EXPECT_THAT(corpus.lost(),
              ElementsAre(HasSubstr("'20170001P00002A0003' has a transcript, but there is no such audio")));
}

}  // namespace
}  // namespace shardmill::source
