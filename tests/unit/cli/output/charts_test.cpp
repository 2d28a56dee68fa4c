#include <gtest/gtest.h>

#include <cstdlib>
#include <numeric>
#include <vector>

#include "cli/output/shared_lines.hpp"

namespace shardmill::cli {
namespace {

TEST(TextTable, ColumnsAreAsWideAsTheirLongestCellsAndNoLineEndsInBlanks) {
  EXPECT_EQ(text_table({{"name", "n", "last"}, {"a", "12,345", ""}, {"longer name", "", "x"}}),
            "  name         n       last\n"
            "  a            12,345\n"
            "  longer name          x\n");
}

TEST(TextTable, ARowOfNothingIsAnEmptyLine) {
  EXPECT_EQ(text_table({{"", ""}}), "\n");
}

TEST(Percent, SmallSharesHaveMoreDigits) {
  EXPECT_EQ(percent(0), "0.0%");
  EXPECT_EQ(percent(1), "100.0%");
  EXPECT_EQ(percent(0.0149), "1.5%");
  EXPECT_EQ(percent(0.001), "0.1%");
  EXPECT_EQ(percent(0.00012), "0.01200%");
}

std::string chart(const std::vector<double>& values, Quantity quantity = Quantity::seconds,
                  Glyphs glyphs = Glyphs::ascii) {
  return bar_chart(values, quantity, "", glyphs);
}

TEST(BarChart, HasALineForEachBin) {
  EXPECT_EQ(chart({1, 2, 2, 3}),
            "1.00 to 1.50 s  #################### 1\n"
            "1.50 to 2.00 s   0\n"
            "2.00 to 2.50 s  ######################################## 2\n"
            "2.50 to 3.00 s  #################### 1\n");
}

TEST(BarChart, OfEqualValuesIsOneLine) {
  EXPECT_EQ(chart({90, 90, 90}), "1.5 to 1.5 min  ######################################## 3\n");
  EXPECT_EQ(chart({0}), "0.0 to 0.0 s  ######################################## 1\n");
  EXPECT_EQ(chart({}), "");
}

TEST(BarChart, CountsEveryValueOnce) {
  std::vector<double> values(1000);
  std::iota(values.begin(), values.end(), 3600.0);
  const std::string text = chart(values);
  std::size_t lines = 0;
  std::size_t sum = 0;
  for (std::size_t begin = 0; begin < text.size(); begin = text.find('\n', begin) + 1) {
    const std::size_t end = text.find('\n', begin);
    sum += std::stoul(text.substr(text.rfind(' ', end)));
    ++lines;
  }
  EXPECT_EQ(lines, 8);
  EXPECT_EQ(sum, 1000);
  EXPECT_NE(text.find(" h  "), std::string::npos);
}

TEST(BarChart, DrawsEighthsWhereItCan) {
  EXPECT_EQ(chart({1000, 2000, 2000, 2000}, Quantity::bytes, Glyphs::unicode),
            "1.00 to 1.25 kB  █████████████▍ 1\n"
            "1.25 to 1.50 kB   0\n"
            "1.50 to 1.75 kB   0\n"
            "1.75 to 2.00 kB  ████████████████████████████████████████ 3\n");
}

TEST(BarChart, KnowsTheLocale) {
  ::setenv("LC_ALL", "", 1);
  ::setenv("LC_CTYPE", "zh_CN.UTF-8", 1);
  EXPECT_EQ(terminal_glyphs(), Glyphs::unicode);
  ::setenv("LC_ALL", "C", 1);
  EXPECT_EQ(terminal_glyphs(), Glyphs::ascii);
  ::setenv("LC_ALL", "C.utf8", 1);
  EXPECT_EQ(terminal_glyphs(), Glyphs::unicode);
}

}  // namespace

}  // namespace shardmill::cli
