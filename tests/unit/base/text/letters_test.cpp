#include "base/text/letters.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "base/error.hpp"

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

namespace {

TEST(Shortened, LeavesShortTextAlone) {
  EXPECT_EQ(shortened("", 10), "");
  EXPECT_EQ(shortened("0123456789", 10), "0123456789");
}

TEST(Shortened, KeepsBeginningAndEnd) {
  EXPECT_EQ(shortened("0123456789abcdefghijklmnopqrstuvwxyz", 19), "01234567 [...] wxyz");
}

TEST(Shortened, CutsBetweenCharacters) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "声";
  for (std::size_t most = 7; most < 40; ++most) {
    EXPECT_TRUE(is_utf8(shortened(text, most))) << most;
    EXPECT_LE(shortened(text, most).size(), most);
  }
}

TEST(Shortened, NoMessageRepeatsAllOfSomebodysData) {
  const std::string huge(8'000'000, 'x');
  const Error error("cannot read '" + huge + "'", {.path = huge, .member = huge}, huge);
  EXPECT_LT(std::string(error.what()).size(), 1300);
  EXPECT_EQ(error.problem().size(), huge.size() + 14);
}

TEST(Shortened, MessagesHoldNoControlCharacters) {
  const Error error("--text a\x1b[2J is unknown",
                    {.path = "a\xc2\x9b"
                             "b"},
                    "give \n");
  EXPECT_STREQ(error.what(), "a\\xc2\\x9bb: --text a\\x1b[2J is unknown (give \\x0a)");
  EXPECT_EQ(printable("\xc2\xa0\xc3\x9b声"), "\xc2\xa0\xc3\x9b声");
}

}  // namespace

namespace {

const std::vector<std::string> kNames{"repack", "report", "ranks", "verify", "librispeech", "--on-error"};

TEST(Similar, FindsWhatWasProbablyMeant) {
  EXPECT_EQ(most_similar("repak", kNames), "repack");
  EXPECT_EQ(most_similar("reprot", kNames), "report");
  EXPECT_EQ(most_similar("libri", kNames), "librispeech");
  EXPECT_EQ(most_similar("librispech", kNames), "librispeech");
  EXPECT_EQ(most_similar("--on-eror", kNames), "--on-error");
}

TEST(Similar, IsSilentWhereNothingIsLikeIt) {
  EXPECT_EQ(most_similar("", kNames), std::nullopt);
  EXPECT_EQ(most_similar("xyz", kNames), std::nullopt);
  EXPECT_EQ(most_similar("convert", {}), std::nullopt);
  EXPECT_EQ(most_similar(std::string(1'000'000, 'a'), kNames), std::nullopt);
}

TEST(Similar, SaysItAsAQuestion) {
  EXPECT_EQ(did_you_mean("verfy", kNames, "no"), "did you mean 'verify'?");
  EXPECT_EQ(did_you_mean("zzz", kNames, "see --help"), "see --help");
}

}  // namespace
}  // namespace shardmill::base
