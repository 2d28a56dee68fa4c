#include "source/tables/table_shape.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"

namespace shardmill::source {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

std::string problem_of(TableKind kind, std::string_view first, RowsOf rows = RowsOf::samples) {
  try {
    const TableShape shape(kind, first, {}, rows);
  } catch (const Error& error) {
    return error.what();
  }
  return "no problem";
}

TEST(TableShapeTest, ColumnsOfNumbersAreNumbers) {
  TableShape shape(TableKind::csv, "key,text,age,speaker,mixed", {});
  EXPECT_EQ(shape.learn("a,one,31,007,4"), "a");
  EXPECT_EQ(shape.learn("b,two,32,008,x"), "b");
  EXPECT_THAT(shape.fields_in("a,one,31,007,4"),
              ElementsAre(Pair("key", "\"a\""), Pair("text", "\"one\""), Pair("age", "31"),
                          Pair("speaker", "\"007\""), Pair("mixed", "\"4\"")));
  EXPECT_TRUE(shape.has_text());
  EXPECT_EQ(shape.key_of("c,,,,"), "c");
  EXPECT_THROW(shape.fields_in("c,too few"), Error);
}

TEST(TableShapeTest, ALikelyKeyIsTheLastChoice) {
  const std::vector<std::string> rec{"rec"};
  EXPECT_EQ(TableShape(TableKind::csv, "nr,Rec-1", {}, RowsOf::samples, "", "", {"Rec-1"}).key_name(),
            "Rec-1");
  EXPECT_EQ(TableShape(TableKind::csv, "nr,rec,said", {}, RowsOf::samples, "", "", rec).key_name(), "rec");
  EXPECT_EQ(TableShape(TableKind::csv, "id,rec,said", {}, RowsOf::samples, "", "", rec).key_name(), "id");
  EXPECT_THAT(problem_of(TableKind::csv, "nr,rec,said"), HasSubstr("its columns are nr, rec, said"));
  EXPECT_THROW(TableShape(TableKind::csv, "nr,rec,said", {}, RowsOf::samples, "", "", {"rec", "said"}),
               Error);
}

TEST(TableShapeTest, UtterancesAreKeysOnlyIfTheyLookLikeIt) {
  const auto key = [](std::string_view header, std::string_view text_field,
                      const std::vector<std::string>& likely) {
    return TableShape(TableKind::csv, header, text_field, RowsOf::samples, "", "", likely).key_name();
  };
  EXPECT_EQ(key("Filename,Utterance", "", {"Filename"}), "Filename");
  EXPECT_EQ(key("Filename,Utterance", "", {"Filename", "Utterance"}), "Utterance");
  EXPECT_EQ(key("Filename,Utterance", "utterance", {"Filename", "Utterance"}), "Filename");
  EXPECT_EQ(key("utterance,speaker", "", {}), "utterance");
  EXPECT_EQ(key("id,filename", "id", {}), "filename");
}

TEST(TableShapeTest, TwoColumnsOfAudioAreUnclear) {
  EXPECT_THROW(TableShape(TableKind::csv, "one,two", {}, RowsOf::samples, "a.wav,b.wav"), Error);
  EXPECT_EQ(TableShape(TableKind::csv, "one,file", {}, RowsOf::samples, "a.wav,b.wav").key_name(), "file");
}

TEST(TableShapeTest, AColumnIsTheKeyByItsValues) {
  const TableShape shape(TableKind::csv, "words,place", {}, RowsOf::audio_files, "hello,clips/a.wav");
  EXPECT_EQ(shape.key_name(), "place");
  EXPECT_FALSE(shape.has_usual_key());
  EXPECT_TRUE(shape.has_header());
}

TEST(TableShapeTest, AFirstRowWithAKeyLikeTheSecondIsNoHeader) {
  const auto problem = [](const std::string& first, const std::string& second) -> std::string {
    try {
      TableShape(TableKind::csv, first, {}, RowsOf::samples, second, "", {first.substr(0, first.find(','))});
      return "none";
    } catch (const Error& error) {
      return error.problem();
    }
  };
  for (const char* first : {"ten_1,Text of 10", "Text of 10,ten_1", "0,ten_1,Text", "ten_1.wav,Text"})
    EXPECT_THAT(problem(first, std::string(first).replace(std::string(first).find("_1"), 2, "_27")),
                HasSubstr("has no header: its first line is about ten_1"));
  EXPECT_EQ(problem("who,Text of 10", "ten_12,Text of 12"), "none");
  EXPECT_EQ(problem("1,2", "3,4"), "none");
  EXPECT_EQ(problem("key,f0", "a1,f1"), "none");
}

TEST(TableShapeTest, TablesWithoutAKey) {
  EXPECT_THAT(problem_of(TableKind::csv, "one,two"), HasSubstr("one, two"));
  EXPECT_THAT(problem_of(TableKind::json_lines, R"({"x":1})"), HasSubstr("x"));
  EXPECT_EQ(problem_of(TableKind::json_lines, R"({"recording_id":"r"})", RowsOf::labels), "no problem");
}

TEST(TableShapeTest, NamesOfAudio) {
  EXPECT_EQ(table_key("a/b.wav"), "a/b");
  EXPECT_EQ(table_key("a/b.v2"), "a/b.v2");
  EXPECT_EQ(field_text("\"a\\n\""), "a\n");
  EXPECT_EQ(field_text("1.50"), "1.50");
  EXPECT_TRUE(has_no_header(TableKind::tsv, "a.wav\twords"));
  EXPECT_FALSE(has_no_header(TableKind::tsv, "path\twords"));
}

}  // namespace
}  // namespace shardmill::source
