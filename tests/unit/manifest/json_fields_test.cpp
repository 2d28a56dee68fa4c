#include "manifest/json_fields.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "base/error.hpp"

namespace shardmill::manifest {
namespace {

/// What is wrong with {"x": VALUE} when `read` takes it; empty when nothing is.
std::string problem(const std::string& value, const std::function<void(const base::JsonValue&)>& read) {
  base::JsonParser parser;
  try {
    read(parser.parse("{\"x\":" + value + "}"));
  } catch (const Error& error) {
    return error.problem();
  }
  return {};
}

TEST(Fields, SecondsAreZeroOrMore) {
  const auto read = [](const base::JsonValue& json) { seconds_field(json, "x"); };
  for (const char* good : {"0", "-0.0", "0.25", "1e300", "7"}) EXPECT_EQ(problem(good, read), "") << good;
  EXPECT_EQ(problem("-1e-300", read), "'x' is less than 0");
  EXPECT_EQ(problem("\"1\"", read), "'x' is not a number");
  EXPECT_EQ(problem("null", read), "'x' is not a number");
}

/// All lengths around the right one, and every byte in the place of the last digit.
void expect_only_lower_case_digits(std::size_t length, const std::function<bool(std::string)>& is_hash) {
  for (std::size_t digits = 0; digits <= 2 * length; ++digits) {
    EXPECT_EQ(is_hash(std::string(digits, 'a')), digits == length) << digits;
  }
  for (int c = 0; c < 256; ++c) {
    const bool is_digit = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
    EXPECT_EQ(is_hash(std::string(length - 1, '0') + static_cast<char>(c)), is_digit) << c;
    EXPECT_EQ(is_hash(static_cast<char>(c) + std::string(length - 1, '0')), is_digit) << c;
  }
}

TEST(Fields, ASha256Has64LowerCaseDigits) {
  expect_only_lower_case_digits(64, [](const std::string& text) { return is_sha256(text); });
}

TEST(Fields, AnXxh3Has32LowerCaseDigits) {
  expect_only_lower_case_digits(
      32, [](const std::string& text) { return base::Xxh128::from_hex(text).has_value(); });
}

TEST(Fields, HashesAreGivenAsTheyStandOrRefusedByName) {
  const std::string digits = "00112233445566778899aabbccddeeff";
  base::JsonParser parser;
  EXPECT_EQ(xxh3_field(parser.parse("{\"x\":\"" + digits + "\"}"), "x").hex(), digits);
  EXPECT_EQ(sha256_field(parser.parse("{\"x\":\"" + digits + digits + "\"}"), "x"), digits + digits);
  const auto xxh3 = [](const base::JsonValue& json) { xxh3_field(json, "x"); };
  const auto sha256 = [](const base::JsonValue& json) { sha256_field(json, "x"); };
  EXPECT_EQ(problem("\"" + digits + digits + "\"", xxh3), "'x' is not 32 hexadecimal digits");
  EXPECT_EQ(problem("\"" + digits + "\"", sha256), "'x' is not 64 hexadecimal digits");
}

}  // namespace
namespace {

std::string sealed_object() {
  std::string text;
  base::JsonWriter json(text, base::JsonWriter::Layout::indented);
  json.begin_object().member("a", 1);
  end_sealed(json, text);
  return text;
}

std::string sealed_page() {
  std::string text = "<!DOCTYPE html>\n<p>é</p>\n";
  end_sealed_page(text);
  return text;
}

TEST(Seal, SealedTextsPassAndTheObjectIsStillJson) {
  EXPECT_NO_THROW(check_seal(sealed_object()));
  const auto json = nlohmann::json::parse(sealed_object());
  EXPECT_EQ(json["a"], 1);
  EXPECT_EQ(json["self_xxh3"].get<std::string>().size(), 32u);
  EXPECT_TRUE(check_page_seal(sealed_page()));
}

/// `check` must refuse `text` with any bit flipped, cut at any byte, and with a byte more anywhere.
template <typename Check>
void expect_every_change_is_found(const std::string& text, const Check& check) {
  for (std::size_t bit = 0; bit < 8 * text.size(); ++bit) {
    std::string changed = text;
    changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_FALSE(check(changed)) << "bit " << bit;
  }
  for (std::size_t at = 0; at <= text.size(); ++at) {
    if (at < text.size()) {
      EXPECT_FALSE(check(text.substr(0, at))) << "cut at " << at;
    }
    EXPECT_FALSE(check(text.substr(0, at) + ' ' + text.substr(at))) << "a byte more at " << at;
  }
}

TEST(Seal, EveryChangeOfAnObjectIsFound) {
  expect_every_change_is_found(sealed_object(), [](const std::string& text) {
    try {
      check_seal(text);
      return true;
    } catch (const Error&) {
      return false;
    }
  });
}

// A page whose seal itself is broken counts as one without a seal; a caller that needs a seal must ask for
// one.
TEST(Seal, EveryChangeOfAPageIsFound) {
  expect_every_change_is_found(sealed_page(), [](const std::string& text) {
    try {
      return check_page_seal(text);
    } catch (const Error&) {
      return false;
    }
  });
}

TEST(Seal, APageWithoutSealHasNone) {
  EXPECT_FALSE(check_page_seal("<!DOCTYPE html>\n<p>x</p>\n"));
  EXPECT_FALSE(check_page_seal(""));
}

}  // namespace
}  // namespace shardmill::manifest
