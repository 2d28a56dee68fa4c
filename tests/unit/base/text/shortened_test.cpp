#include "base/text/shortened.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/text/utf8.hpp"

namespace shardmill::base {
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
}  // namespace shardmill::base
