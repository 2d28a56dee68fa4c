#include "source/trees/gigaspeech_text.hpp"

#include <gtest/gtest.h>

namespace shardmill::source {
namespace {

TEST(GigaSpeechTextTest, WordsForPunctuationAndForNoSpeech) {
  EXPECT_EQ(gigaspeech_text("YES <COMMA> NO <QUESTIONMARK>", false), "YES NO");
  EXPECT_EQ(gigaspeech_text("YES <COMMA> NO <QUESTIONMARK>", true), "YES <COMMA> NO <QUESTIONMARK>");
  EXPECT_EQ(gigaspeech_text("<EXCLAMATIONPOINT>", false), "");
  EXPECT_EQ(gigaspeech_text("<MUSIC>", true), std::nullopt);
  EXPECT_EQ(gigaspeech_text("AND <SIL> THEN", false), std::nullopt);
}

TEST(GigaSpeechTextTest, SmallerSubsetsAreInLargerOnes) {
  EXPECT_EQ(gigaspeech_subsets("xs"), "XL L M S XS");
  EXPECT_EQ(gigaspeech_subsets("m"), "XL L M");
  EXPECT_EQ(gigaspeech_subsets("xl"), "XL");
  EXPECT_EQ(gigaspeech_subsets("dev"), "DEV");
  EXPECT_EQ(gigaspeech_subsets("other"), "other");
}

}  // namespace
}  // namespace shardmill::source
