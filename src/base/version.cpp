#include "base/version.hpp"

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <xxhash.h>

#include "base/text/json_reader.hpp"

namespace shardmill::base {

std::string_view version() noexcept {
  return SHARDMILL_VERSION;
}

LibraryVersions library_versions() {
  const unsigned xxhash = XXH_versionNumber();
  return {{"fmt", fmt::format("{}.{}.{}", FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100)},
          {"openssl", OpenSSL_version(OPENSSL_VERSION_STRING)},
          {"simdjson", simdjson_version()},
          {"xxhash", fmt::format("{}.{}.{}", xxhash / 10000, xxhash / 100 % 100, xxhash % 100)}};
}

}  // namespace shardmill::base
