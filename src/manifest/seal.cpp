#include "manifest/seal.hpp"

#include <string_view>

#include "base/error.hpp"
#include "base/hash/hash.hpp"
#include "base/io/file.hpp"

namespace shardmill::manifest {

namespace {

constexpr std::string_view kSeal = "self_xxh3";
constexpr std::string_view kAfterSeal = "\"\n}\n";  // comes after the digits
constexpr std::string_view kBeforePageSeal = "<!-- self_xxh3 ";
constexpr std::string_view kBehindPageSeal = " -->\n";
constexpr std::size_t kSealDigits = 32;

/// Puts the hash in place of its zeros. `bytes_after` is the number of bytes that follow them.
void seal(std::string& text, std::size_t bytes_after) {
  const std::string hex = base::xxh3_128(base::as_bytes(text)).hex();
  text.replace(text.size() - bytes_after - kSealDigits, kSealDigits, hex);
}

void check(const std::string& text, std::size_t bytes_after) {
  std::string sealed = text;
  if (sealed.size() < bytes_after + kSealDigits) throw Error("is cut");
  sealed.replace(sealed.size() - bytes_after - kSealDigits, kSealDigits, std::string(kSealDigits, '0'));
  seal(sealed, bytes_after);
  if (sealed != text) throw Error("was changed: its content does not fit its own hash");
}

}  // namespace

void end_sealed(base::JsonWriter& json, std::string& text) {
  json.member(kSeal, base::Xxh128{}.hex()).end_object();
  text += '\n';
  seal(text, kAfterSeal.size());
}

void check_seal(const std::string& text) {
  check(text, kAfterSeal.size());
}

void end_sealed_page(std::string& text) {
  text += kBeforePageSeal;
  text.append(kSealDigits, '0');
  text += kBehindPageSeal;
  seal(text, kBehindPageSeal.size());
}

bool check_page_seal(const std::string& text) {
  if (text.find(kBeforePageSeal) == std::string::npos) return false;
  check(text, kBehindPageSeal.size());
  return true;
}

}  // namespace shardmill::manifest
