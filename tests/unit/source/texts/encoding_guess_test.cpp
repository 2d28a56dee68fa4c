#include "source/texts/encoding_guess.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <exception>

#include "support/command_output.hpp"

namespace shardmill::source {
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
  for (const char* text :
       {"été à la forêt, où les élèves naissent", "déjà vu à Noël", "niño comió", "über", "don’t"})
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

TEST(PossibleEncodings, OneLetterSaysNothing) {
  EXPECT_EQ(names_for("\xe9"), "");
  EXPECT_EQ(names_for("abc"), "");
}

}  // namespace
}  // namespace shardmill::source
