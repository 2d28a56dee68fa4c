#include "base/text/utf8.hpp"

#include <gtest/gtest.h>

namespace shardmill::base {
namespace {

TEST(Utf8, ValidTextOfEveryLength) {
  EXPECT_TRUE(is_utf8(""));
  EXPECT_TRUE(is_utf8("plain"));
  EXPECT_TRUE(is_utf8("\xC2\x80 \xDF\xBF \xE0\xA0\x80 \xED\x9F\xBF \xEE\x80\x80 \xEF\xBF\xBF"));
  EXPECT_TRUE(is_utf8("\xF0\x90\x80\x80 \xF4\x8F\xBF\xBF"));
}

TEST(Utf8, OverlongSurrogateTooLargeAndCutSequencesAreDamage) {
  for (const char* text :
       {"\x80", "\xC0\x80", "\xC1\xBF", "\xE0\x9F\xBF", "\xED\xA0\x80", "\xF0\x8F\xBF\xBF",
        "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF", "\xC2", "\xE2\x82", "\xF0\x9F\x98", "\xE2\x28\xA1"}) {
    EXPECT_FALSE(is_utf8(text));
  }
}

TEST(Utf8, StepsGiveCodePointsAndTheLengthOfDamage) {
  EXPECT_EQ(first_utf8("\xF0\x9F\x98\x80!").code_point, char32_t{0x1F600});
  EXPECT_EQ(first_utf8("\xF0\x9F\x98\x80!").bytes, 4u);
  EXPECT_EQ(first_utf8("\xF0\x9F\x98!").bytes, 3u);
  EXPECT_EQ(first_utf8("\xED\xA0\x80").bytes, 1u);
  EXPECT_EQ(first_utf8("\xED\xA0\x80").code_point, char32_t{0xFFFD});
}

}  // namespace
}  // namespace shardmill::base
