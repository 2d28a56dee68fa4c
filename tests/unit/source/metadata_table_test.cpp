#include "source/metadata_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/error.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::source {
namespace {

using ::testing::HasSubstr;

class MetadataTableTest : public ::testing::Test {
 protected:
  MetadataTable made(const std::string& content, const std::string& text_field = "") {
    folder_.write("t", content);
    return MetadataTable(folder_.file("t"), text_field);
  }
  /// "text|facts" of the row for a key; "none".
  static std::string said(const MetadataTable& table, const std::string& key) {
    const auto number = table.find(key);
    if (!number) return "none";
    const MetadataRow row = table.row(*number);
    return row.text.value_or("-") + "|" + row.facts;
  }
  std::string problem(const std::string& content) {
    try {
      made(content);
    } catch (const Error& error) {
      return error.what();
    }
    return "none";
  }

  testing::TemporaryFolder folder_;
};

TEST_F(MetadataTableTest, JsonLinesKeepTheirTypes) {
  const auto table = made(
      "{\"key\": 7, \"text\": \"x\", \"n\": 1.50, \"l\": [1, {\"a\": null}], \"gone\": null}\n\n"
      "{\"text\": 5, \"key\": \"a.b\", \"duration\": 2, \"language\": \"de\"}");
  EXPECT_EQ(table.rows(), 2U);
  EXPECT_TRUE(table.has_text());
  EXPECT_EQ(said(table, "7"), "x|\"n\":1.5,\"l\":[1,{\"a\":null}]");
  EXPECT_EQ(said(table, "a.b"), "5|\"source_duration\":2,\"language\":\"de\",\"lang\":\"de\"");
  EXPECT_EQ(said(table, "a"), "none");
}

TEST_F(MetadataTableTest, ColumnsOfNumbersAreNumbers) {
  const auto table = made("key\tn\tm\tspeaker\tspk_id\nu1\t1\t01\t1\t1\nu2\t-2.5\t2\t2\t2\nu3\t\t\t\t\n");
  EXPECT_FALSE(table.has_text());
  EXPECT_EQ(said(table, "u1"), R"(-|"n":1,"m":"01","speaker":"1","spk_id":"1")");
  EXPECT_EQ(said(table, "u2"), R"(-|"n":-2.5,"m":"2","speaker":"2","spk_id":"2")");
  EXPECT_EQ(said(table, "u3"), "-|");
  for (const char* text : {"1e5", "1.", ".5", "+1", "0x1", "1234567890123456", "-", "1 2", "NaN"})
    EXPECT_EQ(said(made(std::string("key\tn\nu\t") + text + "\n"), "u"),
              std::string("-|\"n\":\"") + text + "\"");
}

TEST_F(MetadataTableTest, QuotesOfACsv) {
  const auto table = made(
      "\xEF\xBB\xBF"
      "id,text,x\r\n\"u,1\", \"a \"\"b\"\", c\" ,1\r\nu2,\"two\r\nlines\",\"2\"\r\n");
  EXPECT_EQ(said(table, "u,1"), "a \"b\", c|\"x\":1");
  EXPECT_EQ(said(table, "u2"), "two\nlines|\"x\":2");
  EXPECT_THAT(problem("id,x\nu,\"a\" b\n"), HasSubstr("line 2: a field continues after its closing quote"));
  EXPECT_THAT(problem("id,x\nu,1\nv,\"a\nb\n"), HasSubstr("line 3: a quote is opened and not closed"));
}

TEST_F(MetadataTableTest, PathsFitWhereTheirEndsDo) {
  const auto table = made("path\ttext\n/d/a/u.wav\tA\n/d/b/u.FLAC\tB\nv.mp3\tV\n");
  EXPECT_EQ(said(table, "a/u"), "A|");
  EXPECT_EQ(said(table, "d/b/u"), "B|");
  EXPECT_EQ(said(table, "c/u"), "none");
  EXPECT_EQ(said(table, "da/u"), "none");
  EXPECT_EQ(said(table, "x/y/v"), "V|");
  try {
    table.find("u");
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("those in line 2 and in line 3"));
  }
}

TEST_F(MetadataTableTest, WhichColumnIsTheKey) {
  EXPECT_EQ(said(made("ID,key\n1,u\n"), "u"), "-|\"ID\":\"1\"");
  EXPECT_EQ(said(made("Utt_ID,wav\nu,x.wav\n"), "u"), "-|\"wav\":\"x.wav\"");
  EXPECT_EQ(problem("Name,text\nu,x\n"), "none");
  EXPECT_THAT(problem("name,Nick,text\nu,v,x\n"), HasSubstr("these look like it: name, Nick"));
  EXPECT_THAT(problem("name,text\na b,x\n"), HasSubstr("its columns are name, text"));
  EXPECT_THAT(problem("{\"name\": 1, \"text\": 2}\n"), HasSubstr("its columns are name, text"));
}

TEST_F(MetadataTableTest, AnotherTextField) {
  const auto table = made("key\ttext\tpinyin\nu\tx\tp\n", "pinyin");
  EXPECT_EQ(said(table, "u"), "p|\"source_text\":\"x\"");
  EXPECT_FALSE(made("key\ttext\nu\tx\n", "pinyin").has_text());
}

TEST_F(MetadataTableTest, RepeatedKeysAreTwoLines) {
  EXPECT_THAT(problem("key\ttext\nu\tx\n\nv\ty\nu\tz\n"),
              HasSubstr("'u' has two rows that differ, in line 2 and in line 5"));
  EXPECT_THAT(problem("{\"key\":\"u\"}\n{\"key\":\"u.wav\"}"),
              HasSubstr("'u' has two rows that differ, in line 1 and in line 2"));
}

TEST_F(MetadataTableTest, TheSameRowAgainIsOneRow) {
  const auto table = made("key\ttext\nu\tx\nv\ty\nu\tx\nv\ty\nu\tx\n");
  EXPECT_EQ(table.rows(), 2U);
  EXPECT_TRUE(table.find("u"));
  EXPECT_TRUE(table.find("v"));
}

TEST_F(MetadataTableTest, ATableThatChangesIsNoTableAnyMore) {
  const auto table = made("key\ttext\nu\tx\n");
  folder_.write("t", "key\n");
  EXPECT_THROW(table.find("u"), FatalError);
  EXPECT_THROW(table.check(), FatalError);
}

}  // namespace
}  // namespace shardmill::source
