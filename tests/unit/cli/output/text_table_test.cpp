#include "cli/output/text_table.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace shardmill::cli
