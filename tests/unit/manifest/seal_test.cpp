#include "manifest/seal.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/error.hpp"

namespace shardmill::manifest {
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
