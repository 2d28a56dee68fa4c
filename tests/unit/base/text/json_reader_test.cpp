#include "base/text/json_reader.hpp"

#include <gtest/gtest.h>

#include <string>

#include "base/error.hpp"
#include "base/text/json_writer.hpp"

namespace shardmill::base {
namespace {

std::string problem_of(const auto& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(JsonReader, EveryKindOfValue) {
  JsonParser parser;
  const JsonValue json = parser.parse(
      R"( {"t": "\u4f60\n", "n": 1.5, "u": 18446744073709551615, "i": -3, "a": [1, 2], "o": {"x": {"y": 7}}} )");
  EXPECT_EQ(json["t"].text(), "你\n");
  EXPECT_EQ(json["n"].number(), 1.5);
  EXPECT_EQ(json["u"].unsigned_integer(), 18446744073709551615u);
  EXPECT_EQ(json["i"].integer(), -3);
  EXPECT_EQ(json["i"].number(), -3.0);
  ASSERT_EQ(json["a"].elements().size(), 2u);
  EXPECT_EQ(json["a"].elements()[1].unsigned_integer(), 2u);
  EXPECT_EQ(json["o"]["x"]["y"].unsigned_integer(), 7u);
  EXPECT_EQ(json.members().size(), 6u);
  EXPECT_EQ(json.members()[0].first, "t");
  EXPECT_FALSE(json.find("nothing"));
}

TEST(JsonReader, ErrorsNameTheMember) {
  JsonParser parser;
  const JsonValue json = parser.parse(R"({"t":"x","n":-1,"big":256,"a":[1]})");
  EXPECT_EQ(problem_of([&] { json["missing"]; }), "'missing' is missing");
  EXPECT_EQ(problem_of([&] { (void)json["n"].text(); }), "'n' is not text");
  EXPECT_EQ(problem_of([&] { (void)json["t"].number(); }), "'t' is not a number");
  EXPECT_EQ(problem_of([&] { (void)json["n"].unsigned_integer(); }), "'n' is not a whole number from 0 on");
  EXPECT_EQ(problem_of([&] { (void)json["big"].unsigned_integer(255); }), "'big' is larger than 255");
  EXPECT_EQ(problem_of([&] { (void)json["a"]["x"]; }), "'a' is not an object");
  EXPECT_EQ(problem_of([&] { (void)json["t"].elements(); }), "'t' is not an array");
  EXPECT_EQ(problem_of([&] { (void)json.text(); }), "the value is not text");
}

TEST(JsonReader, WhatIsNotOneWholeJsonValueIsRefused) {
  JsonParser parser;
  for (const char* text : {"", " ", "{", "{}{}", "{} x", "{\"a\":1,}", "{'a':1}", "nul", "[1 2]", "\"a\nb\"",
                           "\"\xff\"", "01", "1e999999", "{\"a\":}", "NaN"}) {
    EXPECT_THROW(parser.parse(text), Error) << text;
  }
  EXPECT_THROW(parser.parse(std::string(5000, '[') + std::string(5000, ']')), Error);
  EXPECT_THROW(parser.parse({}), Error);  // a null pointer and size 0
  EXPECT_EQ(parser.parse("{\"still\":1}")["still"].unsigned_integer(), 1u);
}

TEST(JsonReader, TwoMembersOfOneNameAreRefused) {
  JsonParser parser;
  try {
    parser.parse(R"({"duration": 1, "text": "a", "duration": 2})");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.problem(), "has two members 'duration'");
  }
  EXPECT_EQ(parser.parse(R"({"a": {"b": 1}, "b": {"b": 2}})").members().size(), 2U);
}

TEST(JsonReader, WholeNumbersBeyond64BitsKeepTheirDigits) {
  JsonParser parser;
  const std::string text =
      R"({"id":12345678901234567890123,"n":[-9223372036854775809,18446744073709551615],"t":"9\"99999999999999999999"})";
  const JsonValue json = parser.parse(text);
  EXPECT_EQ(json.line(), text);
  EXPECT_DOUBLE_EQ(json["id"].number(), 12345678901234567890123.0);
  EXPECT_EQ(json["n"].elements()[1].unsigned_integer(), 18446744073709551615u);
  EXPECT_EQ(problem_of([&] { (void)json["id"].unsigned_integer(); }), "'id' is beyond 64 bits");
  EXPECT_EQ(problem_of([&] { (void)json["id"].integer(); }), "'id' is beyond 64 bits");
  EXPECT_EQ(problem_of([&] { (void)json["id"].text(); }), "'id' is not text");
  for (const char* wrong :
       {"012345678901234567890123", "[12345678901234567890123", "12345678901234567890123 x",
        "\"12345678901234567890123", "1234567890123456789012-3"})
    EXPECT_THROW(parser.parse(wrong), Error) << wrong;
}

TEST(JsonReader, AByteOrderMarkIsSkipped) {
  JsonParser parser;
  EXPECT_EQ(parser.parse("\xEF\xBB\xBF{\"a\":1}")["a"].unsigned_integer(), 1u);
}

TEST(JsonReader, ValuesBecomeOneLine) {
  JsonParser parser;
  const JsonValue json = parser.parse(
      "{\"a\": [1, -2, 18446744073709551615,\n 0.5, true, null, {}],\n \"b\": {\"c\": \"\\n\u2028你\"}}");
  EXPECT_EQ(json.line(),
            "{\"a\":[1,-2,18446744073709551615,0.5,true,null,{}],\"b\":{\"c\":\"\\n\\u2028你\"}}");
  EXPECT_EQ(json["b"]["c"].line(), "\"\\n\\u2028你\"");
  EXPECT_TRUE(json["a"].elements()[5].is_null());
  EXPECT_FALSE(json["a"].is_null());
}

TEST(JsonReader, ReadsWhatTheWriterWrites) {
  const std::string nasty = "a\"b\\c\nd\x01 \xE2\x80\xA8 你好 😀";
  std::string out;
  JsonWriter(out).begin_object().member(nasty, nasty).member("d", 0.1).end_object();
  JsonParser parser;
  const JsonValue json = parser.parse(out);
  EXPECT_EQ(json[nasty].text(), nasty);
  EXPECT_EQ(json["d"].number(), 0.1);
}

}  // namespace
}  // namespace shardmill::base
