#include "source/texts/corpus_text.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "base/error.hpp"
#include "source/corpora.hpp"
#include "source/corpus_lines.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::source {
namespace {

using shardmill::testing::TemporaryFolder;
using shardmill::testing::warnings_of;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;

std::vector<std::string> read_lines(const std::string& path, CorpusBuilder& builder) {
  CorpusText text(path, builder);
  std::vector<std::string> lines;
  for (std::string_view line; text.next(line);)
    lines.push_back(fmt::format("{}:{}", text.line_number(), line));
  return lines;
}

std::string problem_of_text(const std::string& content) {
  const TemporaryFolder folder;
  CorpusBuilder builder;
  try {
    read_lines(folder.write("t", content), builder);
  } catch (const Error& error) {
    return error.what();
  }
  return "no problem";
}

TEST(CorpusText, LinesAsPeopleWriteThem) {
  const TemporaryFolder folder;
  CorpusBuilder builder;
  const std::string path = folder.write("t", "\xEF\xBB\xBF a\tb \r\n\r\n \t\n你 \n\tlast");
  EXPECT_THAT(read_lines(path, builder), ElementsAre("1:a\tb", "4:你", "5:last"));
  const CorpusFiles files = builder.take();
  ASSERT_EQ(files.descriptions.size(), 1u);
  EXPECT_EQ(files.descriptions[0].path, path);
  EXPECT_THAT(warnings_of(files), ElementsAre(path + ": starts with a byte order mark, which is skipped"));
}

TEST(CorpusText, WhatIsNotTextIsNamedByLineAndColumn) {
  EXPECT_THAT(
      problem_of_text("a\n你好 \xC4\xE3\n"),
      EndsWith("/t: line 2: column 4: is not UTF-8 (byte 0xC4), but the text before it is (the line is "
               "damaged: put it right, or remove it)"));
  EXPECT_THAT(problem_of_text("a\n1 \xC4\n"),
              EndsWith("/t: line 2: column 3: is not UTF-8 (byte 0xC4) (convert the file to UTF-8 from its "
                       "encoding, such as CP1252, GB18030 or CP949)"));
  EXPECT_THAT(problem_of_text("a\nb\x01"), HasSubstr("line 2: column 2: is the control character 0x01"));
  EXPECT_THAT(problem_of_text("a\rb\n"), HasSubstr("line 1: column 2: is the control character 0x0D"));
  EXPECT_THAT(problem_of_text("\xFF\xFE"
                              "a"),
              HasSubstr("line 1: is UTF-16, not UTF-8 (convert"));
  EXPECT_THAT(problem_of_text(std::string("a\0b", 3)),
              HasSubstr("line 1: column 2: is the control character 0x00"));
}

TEST(CorpusText, FieldsBetweenBlanksAndTabs) {
  std::string_view text = "a\t b  c d";
  EXPECT_EQ(take_field(text), "a");
  EXPECT_EQ(take_field(text), "b");
  EXPECT_EQ(text, "c d");
  EXPECT_EQ(take_field(text), "c");
  EXPECT_EQ(take_field(text), "d");
  EXPECT_EQ(take_field(text), "");
}

using shardmill::testing::TemporaryFolder;

TEST(IdTable, RowsAsTheyStandAndById) {
  const TemporaryFolder folder;
  CorpusBuilder builder;
  const IdTable table(folder.write("text", "b  two words \n\na\t你好\r\nempty\n"), builder);
  ASSERT_EQ(table.rows().size(), 3u);
  EXPECT_EQ(table.rows()[0].id, "b");
  EXPECT_EQ(table.value("b"), "two words");
  EXPECT_EQ(table.value("a"), "你好");
  EXPECT_EQ(table.find("a")->line, 3u);
  EXPECT_EQ(table.value("empty"), "");
  EXPECT_FALSE(table.value("c"));
  EXPECT_EQ(table.at_row(table.rows()[1], "is odd").what(), folder.file("text") + ": line 3: is odd");
}

TEST(IdTable, ATableThatNeedNotBeThere) {
  const TemporaryFolder folder;
  CorpusBuilder builder;
  EXPECT_TRUE(IdTable::if_there(folder.file("none"), builder).rows().empty());
  EXPECT_EQ(IdTable::if_there(folder.write("t", "a b\n"), builder).value("a"), "b");
  EXPECT_THROW(IdTable(folder.file("none"), builder), Error);
}

TEST(IdTable, AnIdThatComesTwiceIsAnErrorThatNamesBothLines) {
  const TemporaryFolder folder;
  CorpusBuilder builder;
  try {
    IdTable(folder.write("t", "a 1\nb 2\na 3\n"), builder);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.what(), folder.file("t") + ": line 3: 'a' is in line 1 already");
  }
}

}  // namespace
}  // namespace shardmill::source
