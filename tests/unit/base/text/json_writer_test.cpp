#include "base/text/json_writer.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>
#include <string>

#include "support/command_output.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::base {
namespace {

std::string json_string(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

TEST(JsonWriter, OneLineInTheOrderWritten) {
  std::string out;
  JsonWriter json(out);
  json.begin_object().member("z", "text").member("a", 1).key("list").begin_array();
  json.value(1.5).value(true).null().begin_object().end_object().begin_array().end_array().end_array();
  json.member("last", std::uint64_t{18446744073709551615u}).member("low", std::int64_t{-5}).end_object();
  EXPECT_EQ(out, R"({"z":"text","a":1,"list":[1.5,true,null,{},[]],"last":18446744073709551615,"low":-5})");
}

TEST(JsonWriter, IndentedForPeople) {
  std::string out;
  JsonWriter json(out, JsonWriter::Layout::indented);
  json.begin_object().member("a", 1).key("b").begin_array().value(2).begin_object().end_object().end_array();
  json.end_object();
  EXPECT_EQ(out, "{\n  \"a\": 1,\n  \"b\": [\n    2,\n    {}\n  ]\n}");
}

TEST(JsonWriter, SeveralDocumentsOneBehindTheOther) {
  std::string out;
  JsonWriter json(out);
  for (int i = 0; i < 2; ++i) {
    json.begin_object().member("i", i).end_object();
    out += '\n';
  }
  EXPECT_EQ(out, "{\"i\":0}\n{\"i\":1}\n");
}

TEST(JsonWriter, DoublesAreShortAndLookLikeDoubles) {
  std::string out;
  JsonWriter json(out);
  json.begin_array().value(0.1).value(2.0).value(-0.0).value(1e300).value(5e-324).value(1.0 / 3);
  json.value(std::nan("")).value(std::numeric_limits<double>::infinity()).end_array();
  EXPECT_EQ(out, "[0.1,2.0,-0.0,1e+300,5e-324,0.3333333333333333,null,null]");
}

TEST(JsonWriter, TextCannotForgeLines) {
  EXPECT_EQ(json_string("a\nb\r\t\"\\\x01\x7f"), R"("a\nb\r\t\"\\\u0001\u007f")");
  EXPECT_EQ(json_string("\xC2\x85 \xE2\x80\xA8 \xE2\x80\xA9"), R"("\u0085 \u2028 \u2029")");
  EXPECT_EQ(json_string(std::string_view("\0", 1)), R"("\u0000")");
}

TEST(JsonWriter, OtherTextStaysAsItIs) {
  EXPECT_EQ(json_string("你好 é 😀 /"), "\"你好 é 😀 /\"");
}

std::string random_bytes(std::mt19937& random) {
  // Half of the bytes from the corners of UTF-8, so that nearly valid sequences are common.
  static constexpr unsigned char kCorners[] = {0x00, 0x0A, 0x22, 0x5C, 0x7F, 0x80, 0x85,
                                               0x9F, 0xA0, 0xA8, 0xBF, 0xC2, 0xDF, 0xE0,
                                               0xE2, 0xED, 0xEF, 0xF0, 0xF4, 0xF5, 0xFF};
  std::string text(random() % 24, '\0');
  for (char& c : text) {
    c = static_cast<char>(random() % 2 == 0 ? random() % 256 : kCorners[random() % std::size(kCorners)]);
  }
  return text;
}

std::string lower_hex(std::string_view bytes) {
  std::ostringstream out;
  for (const char c : bytes) {
    constexpr char kDigits[] = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(c);
    out << kDigits[byte >> 4] << kDigits[byte & 15];
  }
  return out.str();
}

TEST(JsonWriter, PythonReadsBackEveryText) {
  constexpr int kTexts = 20000;
  std::mt19937 random(1);
  std::string raw;
  std::string lines;
  for (int i = 0; i < kTexts; ++i) {
    const std::string text = random_bytes(random);
    raw += lower_hex(text) + "\n";
    append_json_string(lines, text);
    lines += '\n';
  }
  const shardmill::testing::TemporaryFolder folder;
  folder.write("raw", raw);
  folder.write("json", lines);
  // splitlines() cuts at every character that any reader takes for a line end.
  folder.write("check.py", R"(import json, sys
raw = [bytes.fromhex(line).decode('utf-8', 'replace') for line in open(sys.argv[1])]
read = [json.loads(line) for line in open(sys.argv[2], encoding='utf-8', newline='').read().splitlines()]
print(len(raw), raw == read)
)");
  EXPECT_EQ(shardmill::testing::command_output("/usr/bin/python3 " + folder.file("check.py") + " " +
                                               folder.file("raw") + " " + folder.file("json")),
            "20000 True\n");
}

TEST(JsonWriter, ReadyMadeMembersStandBesideOthers) {
  std::string out;
  JsonWriter(out).begin_object().members(R"("a":1,"b":[2])").member("c", 3U).end_object();
  EXPECT_EQ(out, R"({"a":1,"b":[2],"c":3})");
}

TEST(JsonWriter, EveryDoubleReadsBackTheSame) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 20000; ++i) {
    const auto number = static_cast<double>(random() % 100'000'000) / 16000.0 * (i % 3 == 0 ? 1e-9 : 1);
    std::string out;
    JsonWriter(out).value(number);
    const auto back = nlohmann::json::parse(out);
    ASSERT_TRUE(back.is_number_float()) << out;
    ASSERT_EQ(back.get<double>(), number);
  }
}

}  // namespace
}  // namespace shardmill::base
