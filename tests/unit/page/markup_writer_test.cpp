#include "page/markup_writer.hpp"

#include <gtest/gtest.h>

namespace shardmill::page {
namespace {

TEST(MarkupWriter, NestsAndCloses) {
  std::string out;
  MarkupWriter markup(out);
  markup.open("p", {{"class", "lead"}}).text("a < b & c").open("b").text("!").close().close();
  markup.empty("rect", {{"x", 1.0 / 3}, {"width", 12}});
  EXPECT_EQ(out, "<p class=\"lead\">a &lt; b &amp; c<b>!</b></p>\n<rect x=\"0.33\" width=\"12\"/>");
}

TEST(MarkupWriter, NoTextEndsAnAttributeOrATag) {
  std::string out;
  MarkupWriter(out).empty("g", {{"title", "\"><script>alert('x')</script>"}});
  EXPECT_EQ(out, "<g title=\"&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;\"/>");
}

TEST(Escaped, ShowsWhatCannotBeSeen) {
  EXPECT_EQ(escaped("a\nb\x1b[1m\x7f"), "a\\x0ab\\x1b[1m\\x7f");
  EXPECT_EQ(escaped("\u202egnp.exe"), "\\u202egnp.exe");  // would be read backwards
  EXPECT_EQ(escaped("\u200b\ufeff\uffff"), "\\u200b\\ufeff\\uffff");
  EXPECT_EQ(escaped(std::string_view("\0", 1)), "\\x00");
}

TEST(Escaped, KeepsOtherScriptsAndReplacesDamage) {
  EXPECT_EQ(escaped("四 é שלום 😀"), "四 é שלום 😀");
  EXPECT_EQ(escaped("a\xff\xc3z"), "a\uFFFD\uFFFDz");
}

TEST(Shortened, CutsInTheMiddleByCharacters) {
  EXPECT_EQ(shortened("abcdef", 6), "abcdef");
  EXPECT_EQ(shortened("abcdefg", 6), "abc…fg");
  EXPECT_EQ(shortened("一二三四五六七", 4), "一二…七");
}

TEST(Coordinate, HasTwoDecimalsAtMost) {
  EXPECT_EQ(coordinate(12), "12");
  EXPECT_EQ(coordinate(-0.001), "0");
  EXPECT_EQ(coordinate(100), "100");
  EXPECT_EQ(coordinate(2.5), "2.5");
  EXPECT_EQ(coordinate(2.0 / 3), "0.67");
}

}  // namespace
}  // namespace shardmill::page
