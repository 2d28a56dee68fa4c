#include "manifest/json_fields.hpp"

#include <fmt/format.h>

#include <string_view>

#include "base/error.hpp"
#include "base/hash/hash.hpp"
#include "base/io/file.hpp"
#include "manifest/dataset_record.hpp"
#include "manifest/layout.hpp"

namespace shardmill::manifest {

double seconds_field(const base::JsonValue& object, std::string_view name) {
  const double seconds = object[name].number();
  if (!(seconds >= 0)) throw Error(fmt::format("'{}' is less than 0", name));
  return seconds;
}

base::Xxh128 xxh3_field(const base::JsonValue& object, std::string_view name) {
  const auto hash = base::Xxh128::from_hex(object[name].text());
  if (!hash) throw Error(fmt::format("'{}' is not 32 hexadecimal digits", name));
  return *hash;
}

bool is_sha256(std::string_view hex) {
  base::Sha256::Digest digest;
  return base::from_hex(hex, digest);
}

std::string sha256_field(const base::JsonValue& object, std::string_view name) {
  const std::string_view hex = object[name].text();
  if (!is_sha256(hex)) throw Error(fmt::format("'{}' is not 64 hexadecimal digits", name));
  return std::string(hex);
}

void JsonFieldReader::xxh3(std::string_view name, base::Xxh128& value) {
  value = xxh3_field(json_, name);
}

void JsonFieldReader::inner_path(std::string_view name, std::string& value) {
  value = json_[name].text();
  check_inner_path(value);
}

void JsonFieldReader::range(std::string_view name, std::uint64_t& begin, std::uint64_t& end) {
  const auto ends = json_[name].elements();
  if (ends.size() != 2) throw Error(fmt::format("'{}' is not a pair", name));
  begin = ends[0].unsigned_integer();
  end = ends[1].unsigned_integer();
  if (begin > end) throw Error(fmt::format("'{}' ends before it begins", name));
}

void JsonFieldReader::version(std::string_view name, std::uint64_t known) {
  const std::uint64_t version = json_[name].unsigned_integer();
  if (version == known) return;
  if (version < known)
    throw Error(fmt::format("has format version {}, this program knows {}", version, known));
  throw NewerFormat(fmt::format("was written by a newer shardmill: its format has version {}, and this "
                                "program knows versions up to {}",
                                version, known),
                    {}, "use a newer shardmill");
}

void JsonFieldReader::throw_unknown(std::string_view name, std::string_view text) {
  throw Error(fmt::format("'{0}' is '{1}', which is no known {0}", name, printable(text)));
}

void rethrow_at(const std::string& path) {
  try {
    throw;
  } catch (const NewerFormat& error) {
    throw NewerFormat(error.problem(), at(path), error.advice());
  } catch (const Error& error) {
    throw error.within(at(path));
  }
}

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
