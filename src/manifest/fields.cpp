#include "manifest/fields.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

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

}  // namespace shardmill::manifest
