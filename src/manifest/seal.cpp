#include "shardmill/manifest/seal.hpp"

#include <string_view>

#include "shardmill/base/error.hpp"
#include "shardmill/base/file.hpp"
#include "shardmill/base/hash.hpp"

namespace shardmill::manifest {

namespace {

constexpr std::string_view kSeal = "self_xxh3";
constexpr std::string_view kBehindSeal = "\"\n}\n";  // what follows the digits
constexpr std::size_t kHexDigits = 32;

/// Puts the hash over the zeros that stand for it.
void seal(std::string& text) {
  const std::string hex = base::xxh3_128(base::as_bytes(text)).hex();
  text.replace(text.size() - kBehindSeal.size() - kHexDigits, kHexDigits, hex);
}

}  // namespace

void end_sealed(base::JsonWriter& json, std::string& text) {
  json.member(kSeal, base::Xxh128{}.hex()).end_object();
  text += '\n';
  seal(text);
}

void check_seal(const std::string& text) {
  std::string sealed = text;
  if (sealed.size() < kBehindSeal.size() + kHexDigits) throw Error("is cut");
  sealed.replace(sealed.size() - kBehindSeal.size() - kHexDigits, kHexDigits, std::string(kHexDigits, '0'));
  seal(sealed);
  if (sealed != text) throw Error("was changed: its content does not fit its own hash");
}

}  // namespace shardmill::manifest
