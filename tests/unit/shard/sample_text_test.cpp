#include "shard/sample_text.hpp"

#include <gtest/gtest.h>

#include <string_view>

namespace shardmill::shard {

namespace {

using std::literals::operator""sv;

TEST(TranscriptTest, WhatStandsAroundIsTakenAway) {
  EXPECT_EQ(clean_transcript("as it is"), "as it is");
  EXPECT_EQ(clean_transcript(" \t\r\n\v\fboth ends \t\r\n"), "both ends");
  EXPECT_EQ(clean_transcript("\xEF\xBB\xBFmarked"), "marked");
  EXPECT_EQ(clean_transcript("\xEF\xBB\xBF \xEF\xBB\xBFtwice"), "twice");
  EXPECT_EQ(clean_transcript("\xE3\x80\x80\xE4\xBD\xA0\xC2\xA0"), "\xE4\xBD\xA0");
  EXPECT_EQ(clean_transcript(" \xE3\x80\x80\r\n"), "");
  EXPECT_EQ(clean_transcript(""), "");
}

TEST(TranscriptTest, WhatStandsInsideStays) {
  EXPECT_EQ(clean_transcript("a  b\tc"), "a  b\tc");
  EXPECT_EQ(clean_transcript("a\xE3\x80\x80z\xC2\xA0z"), "a\xE3\x80\x80z\xC2\xA0z");
  EXPECT_EQ(clean_transcript("one\ntwo"), "one\ntwo");
}

TEST(TranscriptTest, LinesEndInLineFeeds) {
  EXPECT_EQ(clean_transcript("one\r\ntwo\rthree\r\n"), "one\ntwo\nthree");
  EXPECT_EQ(clean_transcript("one\r\r\ntwo"), "one\n\ntwo");
}

TEST(TranscriptTest, CleaningTwiceChangesNothingMore) {
  for (const std::string_view text : {"\r\n a\r\rb \r", "\xEF\xBB\xBF\r\n", "\xC2\xA0\r", "a\n\r"}) {
    const std::string once = clean_transcript(text);
    EXPECT_EQ(clean_transcript(once), once);
  }
}

TEST(TranscriptTest, TheEndOfTheLastLineIsNoDirt) {
  const auto unclean = [](std::string_view text) { return is_unclean(text, clean_transcript(text)); };
  EXPECT_FALSE(unclean("text"));
  EXPECT_FALSE(unclean("text\n"));
  EXPECT_FALSE(unclean(""));
  EXPECT_TRUE(unclean("text\r\n"));
  EXPECT_TRUE(unclean("text\n\n"));
  EXPECT_TRUE(unclean("text "));
  EXPECT_TRUE(unclean("\xEF\xBB\xBFtext"));
}

TEST(TranscriptTest, WhatIsNoText) {
  EXPECT_EQ(why_not_text("\xE4\xBD\xA0"), std::nullopt);
  EXPECT_EQ(why_not_text(""), std::nullopt);
  EXPECT_EQ(why_not_text("\xC4\xE3"), "is not UTF-8");
  EXPECT_EQ(why_not_text("\xFF\xFEt\0"sv), "is UTF-16, not UTF-8");
  EXPECT_EQ(why_not_text("\xFE\xFF\0t"sv), "is UTF-16, not UTF-8");
  EXPECT_EQ(why_not_text("t\0e\0"sv), "holds zero bytes: it is UTF-16, or not text");
}

}  // namespace

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
  EXPECT_EQ(why_no_speaker(R"("lang":"zh")"), "is not known (its fields: lang)");
  EXPECT_EQ(why_no_speaker(R"("speaker":null)"), "is not known (its fields: speaker)");
  EXPECT_EQ(why_no_speaker(R"("speaker":" ")"), "has an empty name");
  EXPECT_EQ(why_no_speaker(R"("speaker":["A", 1])"), R"(is ["A",1], which is not a name)");
}

}  // namespace

}  // namespace shardmill::shard
