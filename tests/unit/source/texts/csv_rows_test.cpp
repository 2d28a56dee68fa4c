#include "source/texts/csv_rows.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace shardmill::source {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> rows_of(std::string_view content) {
  std::vector<std::string> rows;
  for_each_csv_row(
      {.path = "t.csv", .place = "x/t.csv", .content = content}, {"a", "b"}, [&](const CsvRow& row) {
        rows.push_back(fmt::format("{}: {}|{}|{}", row.line_number(), row["a"], row["b"], row["c"]));
      });
  return rows;
}

std::string problem_of(std::string_view content) {
  try {
    rows_of(content);
    return "none";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(CsvRowsTest, QuotesAndLineBreaks) {
  EXPECT_THAT(rows_of(""), IsEmpty());
  EXPECT_THAT(rows_of("a,b\n"), IsEmpty());
  EXPECT_THAT(rows_of("b,a,c\r\n2,1,3\r\n,4,\n"), ElementsAre("2: 1|2|3", "3: 4||"));
  EXPECT_THAT(rows_of("a,b\n\"x, y\",\"he said \"\"no\"\"\"\n1,\"two\nlines\"\n3,4\n"),
              ElementsAre("2: x, y|he said \"no\"|", "3: 1|two\nlines|", "5: 3|4|"));
}

TEST(CsvRowsTest, WhatMakesNoSense) {
  EXPECT_THAT(problem_of("a\n1\n"), HasSubstr("x/t.csv: line 1: has no column 'b'"));
  EXPECT_THAT(problem_of("a,b\n1\n"), HasSubstr("x/t.csv: line 2: has 1 fields, and the header has 2"));
  EXPECT_THAT(problem_of("a,b\n1,2,3\n"), HasSubstr("line 2: has 3 fields"));
  EXPECT_THAT(problem_of("a,b\n1,\"2\n3,4\n"), HasSubstr("a quote was opened in line 2 and is not closed"));
  EXPECT_THAT(problem_of("a,b\n\"1\"x,2\n"), HasSubstr("line 2: a field goes on behind its closing quote"));
}

}  // namespace
}  // namespace shardmill::source
