#include "source/texts/corpus_text.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <exception>
#include <filesystem>
#include <string>

#include "base/error.hpp"
#include "source/corpora.hpp"
#include "source/corpus_lines.hpp"
#include "support/command_output.hpp"
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
namespace {

std::string encoded(const std::string& text, const std::string& encoding) {
  return testing::command_output(fmt::format("printf %s '{}' | iconv -f UTF-8 -t {}", text, encoding));
}

std::string names_for(const std::string& line) {
  std::string names;
  for (const Encoding& encoding : possible_encodings(line))
    names += (names.empty() ? "" : " ") + std::string(encoding.name);
  return names;
}

std::string first_for(const std::string& text, const std::string& encoding) {
  const std::string names = names_for(encoded(text, encoding));
  return names.substr(0, names.find(' '));
}

TEST(PossibleEncodings, TheMostLikelyComesFirst) {
  EXPECT_EQ(first_for("BAC009S0002W0122 而对楼市成交抑制作用最大的限购", "GB18030"), "GB18030");
  EXPECT_EQ(first_for("你好世界", "GBK"), "GB18030");
  EXPECT_EQ(first_for("KsponSpeech_000001 나는 그 몬스터 죽는 게 너무 싫었다", "CP949"), "CP949");
  EXPECT_EQ(first_for("안녕하세요 반갑습니다", "EUC-KR"), "CP949");
  EXPECT_EQ(first_for("水をマレーシアから買わなくてはならないのです。", "EUC-JP"), "EUC-JP");
  EXPECT_EQ(first_for("水をマレーシアから買わなくてはならないのです。", "SHIFT_JIS"), "CP932");
  EXPECT_EQ(first_for("我們在台灣的學校裡學習中文和英文", "BIG5"), "BIG5");
  EXPECT_EQ(first_for("широкая электрификация южных губерний", "CP1251"), "CP1251");
  EXPECT_EQ(first_for("привет", "CP1251"), "CP1251");
  EXPECT_EQ(first_for("широкая электрификация южных губерний", "KOI8-R"), "KOI8-R");
  EXPECT_NE(names_for(encoded("привет", "KOI8-R")).find("KOI8-R"), std::string::npos);
  EXPECT_EQ(first_for("日本語 表示", "SHIFT_JIS"), "CP932");
  EXPECT_EQ(first_for("アイウエオ", "SHIFT_JIS"), "CP932");  // whose second bytes are ASCII letters
  EXPECT_EQ(first_for("abcdefg 语音识别", "GB18030"), "GB18030");
  EXPECT_EQ(first_for("please open the file 我們在台灣的學校", "BIG5"), "BIG5");
  EXPECT_EQ(first_for("open the file 한국어 please", "CP949"), "GB18030");  // of few letters nobody can tell
  for (const char* text : {"été à la forêt, où les élèves naissent", "déjà vu à Noël", "niño comió", "über",
                           "don’t", "schöne Grüße aus Köln", "die Straße ist naß",
                           "Füße, Größe und Maße in Übergrößen", "créée à Orléans"})
    EXPECT_EQ(first_for(text, "CP1252"), "CP1252") << text;
}

TEST(PossibleEncodings, AllThatDecodeTheLineAreNamed) {
  for (const char* text : {"你好", "안녕하세요 반갑습니다", "而对楼市成交抑制作用最大的限购"}) {
    for (const char* from : {"GB18030", "CP949"}) {
      std::string line;
      try {
        line = encoded(text, std::string(from) + " 2>/dev/null");
      } catch (const std::exception&) {
        continue;  // the other language
      }
      for (const char* encoding : {"GB18030", "CP949", "BIG5", "EUC-JP", "CP932"}) {
        const std::string check = fmt::format(
            "printf %s '{}' | iconv -f UTF-8 -t {} 2>/dev/null | iconv -f {} -t UTF-8 >/dev/null 2>&1 && "
            "echo yes",
            text, from, encoding);
        if (testing::command_output(check + " || true") != "yes\n") continue;
        EXPECT_NE(names_for(line).find(encoding), std::string::npos) << text << " as " << encoding;
      }
    }
  }
}

TEST(PossibleEncodings, NoneIsNamedWithoutDoubt) {
  for (const char* line : {"\xe1\xa1\xe3\xa1\xd2", "\xc4\xe3\xba\xc3", "voil\xe0 l'\xe9t\xe9"}) {
    try {
      CharacterCheck().check(line);
      FAIL();
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr(" or another encoding"));
      EXPECT_THAT(error.advice(), ::testing::HasSubstr("the one that gives the right text: iconv -f"));
    }
  }
}

TEST(PossibleEncodings, AShortLineIsJudgedWithThoseBehindIt) {
  const std::string line = encoded("a1 是的", "BIG5");
  std::string ahead;
  for (const char* text :
       {"a2 我們在台灣的學校裡學習中文和英文", "a3 plain", "a4 今天的天氣很好我們一起去公園散步"})
    ahead += encoded(text, "BIG5") + "\n";
  try {
    CharacterCheck().check(line, ahead + "a5 \xa6");  // cut in the middle of a character
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("may be BIG5 (Chinese)"));
  }
}

TEST(PossibleEncodings, ALineAmongOthersInUtf8IsDamaged) {
  CharacterCheck characters;
  for (const char* line : {"a1 über", "a2 plain", "a3 schön und grün"}) characters.check(line);
  try {
    characters.check("a4 f\xfcr");
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("is not UTF-8 (byte 0xFC), but the text before it is"));
    EXPECT_THAT(error.advice(), ::testing::HasSubstr("put it right"));
  }
}

TEST(PossibleEncodings, OneLetterSaysNothing) {
  EXPECT_EQ(names_for("\xe9"), "");
  EXPECT_EQ(names_for("abc"), "");
}

}  // namespace
}  // namespace shardmill::source
