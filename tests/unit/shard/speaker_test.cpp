#include "shard/speaker.hpp"

#include <gtest/gtest.h>

namespace shardmill::shard {
namespace {

TEST(SpeakerTest, TextsAndNumbersAreNames) {
  EXPECT_EQ(speaker_in(R"("speaker":"A","lang":"zh")"), "A");
  EXPECT_EQ(speaker_in("\"speaker\":\" A\\t\\n\xE3\x80\x80\""), "A");
  EXPECT_EQ(speaker_in(R"("speaker":7)"), "7");
  EXPECT_EQ(speaker_in(R"("speaker":"7")"), "7");
  EXPECT_EQ(speaker_in(R"("speaker":7.0)"), "7");
  EXPECT_EQ(speaker_in(R"("speaker":-12)"), "-12");
  EXPECT_EQ(speaker_in(R"("speaker":0.5)"), "0.5");
  EXPECT_EQ(speaker_in(R"("speaker":"A b")"), "A b");
}

TEST(SpeakerTest, NothingElseIs) {
  for (const char* facts :
       {"", R"("lang":"speaker")", R"("speaker":null)", R"("speaker":"")", R"("speaker":" ")",
        R"("speaker":true)", R"("speaker":["A"])", R"("speaker":{"id":"A"})"})
    EXPECT_EQ(speaker_in(facts), "") << facts;
  EXPECT_EQ(why_no_speaker(R"("lang":"zh")"), "is not known");
  EXPECT_EQ(why_no_speaker(R"("speaker":null)"), "is not known");
  EXPECT_EQ(why_no_speaker(R"("speaker":" ")"), "has an empty name");
  EXPECT_EQ(why_no_speaker(R"("speaker":["A", 1])"), R"(is ["A",1], which is no name)");
}

}  // namespace
}  // namespace shardmill::shard
