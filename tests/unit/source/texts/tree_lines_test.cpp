#include "source/texts/tree_lines.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace shardmill::source {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

TreeText text_of(std::string_view content) {
  return {.path = "corpus/text", .place = "a.tar!corpus/text", .content = content};
}

std::vector<std::pair<std::uint64_t, std::string>> lines_of(std::string_view content) {
  const TreeText text = text_of(content);
  TreeLines lines(text);
  std::vector<std::pair<std::uint64_t, std::string>> found;
  for (std::string_view line; lines.next(line);) found.emplace_back(lines.line_number(), line);
  return found;
}

template <typename Action>
std::string problem_of(const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "no problem";
}

TEST(TreeLinesTest, BlankLinesAreSkippedAndCounted) {
  EXPECT_THAT(lines_of(""), IsEmpty());
  EXPECT_THAT(lines_of("\n"), IsEmpty());
  EXPECT_THAT(lines_of(" \t\r\n\n"), IsEmpty());
  EXPECT_THAT(lines_of("one"), ElementsAre(Pair(1, "one")));
  EXPECT_THAT(lines_of("\n\n  one two\t\n\nthree"), ElementsAre(Pair(3, "one two"), Pair(5, "three")));
}

std::vector<std::string> rows_of(std::string_view content, const std::vector<std::string_view>& needed) {
  std::vector<std::string> rows;
  const bool has_header = for_each_row(text_of(content), '\t', needed, [&](const TreeRow& row) {
    rows.push_back(fmt::format("{}: {}|{}|{}", row.line_number(), row["a"], row["b"], row["c"]));
  });
  if (!has_header) rows.emplace_back("no header");
  return rows;
}

TEST(ForEachRow, FieldsByTheirNames) {
  EXPECT_THAT(rows_of("", {"a"}), ElementsAre("no header"));
  EXPECT_THAT(rows_of("a\tb\n", {"a"}), IsEmpty());
  EXPECT_THAT(rows_of("b\ta\n2\t1\r\n\n4\t 3 \n", {"a"}), ElementsAre("2: 1|2|", "4: 3|4|"));
  // Fields may be empty.
  EXPECT_THAT(rows_of("a\tb\tc\n\t2\t\n\t\t3\n", {"b"}), ElementsAre("2: |2|", "3: ||3"));
  EXPECT_THAT(rows_of("a\tb\t\nx\ty\t\n", {"a"}), ElementsAre("2: x|y|"));
}

TEST(ForEachRow, RowsThatMakeNoSense) {
  EXPECT_THAT(problem_of([] { rows_of("a\tb\n", {"c"}); }),
              HasSubstr("a.tar!corpus/text: line 1: has no column 'c': its columns are a, b"));
  EXPECT_THAT(problem_of([] {
                rows_of("a\tb\nx\n", {"a", "b"});
              }),
              HasSubstr("line 2: has 1 field, and the header has 2"));
  EXPECT_THAT(problem_of([] {
                rows_of("a\tb\nx\ty\tz\n", {"a", "b"});
              }),
              HasSubstr("line 2: has 3 fields, and the header has 2"));
  EXPECT_THAT(problem_of([] {
                for_each_row(text_of("a\n1\n2\n"), '\t', {"a"}, [](const TreeRow& row) {
                  if (row["a"] == "2") throw Error("is no good");
                });
              }),
              HasSubstr("a.tar!corpus/text: line 3: is no good"));
}

TEST(TreeLinesTest, WhatWindowsAdds) {
  EXPECT_THAT(lines_of("\xEF\xBB\xBFone\r\ntwo\r\n"), ElementsAre(Pair(1, "one"), Pair(2, "two")));
  EXPECT_THAT(lines_of("\xEF\xBB\xBF"), IsEmpty());
  EXPECT_THAT(problem_of([] { lines_of(std::string_view("\xFF\xFEo\0", 4)); }),
              HasSubstr("a.tar!corpus/text: is UTF-16, not UTF-8"));
  EXPECT_THAT(problem_of([] { lines_of("\xFE\xFF"); }), HasSubstr("is UTF-16, not UTF-8"));
}

TEST(TreeLinesTest, BlanksOfOtherKindsBelongToTheText) {
  // An ideographic blank, a no-break space, and a byte order mark that is not at the beginning.
  EXPECT_THAT(lines_of("\xE3\x80\x80好\xC2\xA0\n\xEF\xBB\xBFx"),
              ElementsAre(Pair(1, "\xE3\x80\x80好\xC2\xA0"), Pair(2, "\xEF\xBB\xBFx")));
}

TEST(TreeLinesTest, WhatIsNoTextIsAnErrorWithItsPlace) {
  EXPECT_THAT(problem_of([] { lines_of("a\nb \x7F"); }),
              HasSubstr("a.tar!corpus/text: line 2: column 3: is the control character 0x7F"));
  EXPECT_THAT(problem_of([] { lines_of("a\rb"); }),
              HasSubstr("line 1: column 2: is the control character 0x0D"));
  EXPECT_THAT(problem_of([] { lines_of("好\xE5\xA5"); }),
              HasSubstr("line 1: column 2: is not UTF-8 (byte 0xE5)"));
  EXPECT_THAT(problem_of([] { lines_of("\xC4\xE3\xBA\xC3"); }), HasSubstr("it may be GB18030 (Chinese) or"));
}

TEST(TreeLinesTest, AnErrorThatHasItsPlaceKeepsIt) {
  const TreeText text = text_of("one\ntwo\n");
  TreeLines lines(text);
  std::string_view line;
  lines.next(line);
  lines.next(line);
  EXPECT_STREQ(lines.here(Error("is odd")).what(), "a.tar!corpus/text: line 2: is odd");
  EXPECT_STREQ(lines.here(Error("is odd", at("x.wav"))).what(), "x.wav: line 2: is odd");
}

TEST(TreeColumnsTest, ColumnsByTheirNames) {
  const TreeColumns columns(" id\tpath \tsentence", '\t');
  EXPECT_EQ(columns.at("path"), 1u);
  EXPECT_EQ(columns.find("sentence"), 2u);
  EXPECT_EQ(columns.find("sent"), std::nullopt);
  EXPECT_EQ(problem_of([&] { columns.at("text"); }),
            "has no column 'text': its columns are id, path, sentence");
  EXPECT_EQ(TreeColumns("a|a", '|').at("a"), 0u);
}

TEST(SplitFieldsTest, EverythingBetweenTheDelimiters) {
  EXPECT_THAT(split_fields("", '|'), ElementsAre(""));
  EXPECT_THAT(split_fields("|", '|'), ElementsAre("", ""));
  EXPECT_THAT(split_fields(" 14 | F |  | a b |", '|'), ElementsAre("14", "F", "", "a b", ""));
  EXPECT_THAT(split_fields("a\t b\t\r", '\t'), ElementsAre("a", "b", ""));
}

std::vector<std::string> elements_of(std::string_view content, std::string_view name = {}) {
  std::vector<std::string> elements;
  for_each_json_element(text_of(content), name,
                        [&](const base::JsonValue& element) { elements.push_back(element.line()); });
  return elements;
}

TEST(JsonElementsTest, AnArrayOrAMemberOfAnObject) {
  EXPECT_THAT(elements_of("[]"), IsEmpty());
  EXPECT_THAT(elements_of("\xEF\xBB\xBF [\r\n 1 ,\t\"a,]\\\"\" , {\"b\": [2, {}]}, [[]], null ] "),
              ElementsAre("1", R"("a,]\"")", R"({"b":[2,{}]})", "[[]]", "null"));
  EXPECT_THAT(
      elements_of(R"({"x": {"audios": [0]}, "y": "audios", "z": [[]], "audios": [1, 2], "w": 3})", "audios"),
      ElementsAre("1", "2"));
}

TEST(JsonElementsTest, WhatIsCutOrOtherJson) {
  const auto problem = [](std::string_view content, std::string_view name = {}) {
    return problem_of([&] { elements_of(content, name); });
  };
  EXPECT_EQ(problem(""), "a.tar!corpus/text: is not the JSON that was expected: '[' is missing at byte 0");
  EXPECT_THAT(problem("{}"), HasSubstr("'[' is missing at byte 0"));
  EXPECT_THAT(problem("[1"), HasSubstr("',' is missing at byte 2"));
  EXPECT_THAT(problem("[1,"), HasSubstr("is JSON that ends too early at byte 3"));
  EXPECT_THAT(problem("[1,]"), HasSubstr("is JSON that ends too early at byte 3"));
  EXPECT_THAT(problem("[1 2]"), HasSubstr("element 1: "));
  EXPECT_THAT(problem("[{\"a\": [1}"), HasSubstr("a.tar!corpus/text: "));
  EXPECT_THAT(problem("[{\"a\": \"\\"), HasSubstr("ends inside a text"));
  EXPECT_THAT(problem("[1, nonsense]"), HasSubstr("a.tar!corpus/text: element 2: "));
  EXPECT_THAT(problem("[\"\xFF\"]"), HasSubstr("element 1: "));
  EXPECT_THAT(problem("{\"audio\": []}", "audios"), HasSubstr("has no member 'audios'"));
  EXPECT_THAT(problem("{\"audios\": 5}", "audios"), HasSubstr("'[' is missing"));
  EXPECT_THAT(problem("{\"audios\" []}", "audios"), HasSubstr("':' is missing"));
}

TEST(JsonElementsTest, NestingThatIsFarTooDeep) {
  const std::string deep(1 << 20, '[');
  EXPECT_THAT(problem_of([&] { elements_of(deep); }), HasSubstr("ends too early"));
  EXPECT_THAT(problem_of([&] { elements_of(deep + std::string(deep.size(), ']')); }),
              HasSubstr("element 1: "));
}

TEST(JsonElementsTest, WhatTheUserOfAnElementThrowsGetsItsNumber) {
  const auto refuse = [](const base::JsonValue& element) {
    if (element.number() > 1) throw Error("is too large", {}, "make it smaller");
  };
  EXPECT_THAT(problem_of([&] { for_each_json_element(text_of("[1, 2, 3]"), {}, refuse); }),
              HasSubstr("a.tar!corpus/text: element 2: is too large"));
}

std::vector<std::string> csv_rows_of(std::string_view content) {
  std::vector<std::string> rows;
  for_each_csv_row(
      {.path = "t.csv", .place = "x/t.csv", .content = content}, {"a", "b"}, [&](const CsvRow& row) {
        rows.push_back(fmt::format("{}: {}|{}|{}", row.line_number(), row["a"], row["b"], row["c"]));
      });
  return rows;
}

std::string csv_problem_of(std::string_view content) {
  try {
    csv_rows_of(content);
    return "none";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(CsvRowsTest, QuotesAndLineBreaks) {
  EXPECT_THAT(csv_rows_of(""), IsEmpty());
  EXPECT_THAT(csv_rows_of("a,b\n"), IsEmpty());
  EXPECT_THAT(csv_rows_of("b,a,c\r\n2,1,3\r\n,4,\n"), ElementsAre("2: 1|2|3", "3: 4||"));
  EXPECT_THAT(csv_rows_of("a,b\n\"x, y\",\"he said \"\"no\"\"\"\n1,\"two\nlines\"\n3,4\n"),
              ElementsAre("2: x, y|he said \"no\"|", "3: 1|two\nlines|", "5: 3|4|"));
}

TEST(CsvRowsTest, WhatMakesNoSense) {
  EXPECT_THAT(csv_problem_of("a\n1\n"), HasSubstr("x/t.csv: line 1: has no column 'b'"));
  EXPECT_THAT(csv_problem_of("a,b\n1\n"), HasSubstr("x/t.csv: line 2: has 1 fields, and the header has 2"));
  EXPECT_THAT(csv_problem_of("a,b\n1,2,3\n"), HasSubstr("line 2: has 3 fields"));
  EXPECT_THAT(csv_problem_of("a,b\n1,\"2\n3,4\n"),
              HasSubstr("a quote was opened in line 2 and is not closed"));
  EXPECT_THAT(csv_problem_of("a,b\n\"1\"x,2\n"),
              HasSubstr("line 2: a field continues after its closing quote"));
}

}  // namespace
}  // namespace shardmill::source
