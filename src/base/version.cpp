#include "base/version.hpp"

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <xxhash.h>

#include "base/remote/object.hpp"
#include "base/text/json_reader.hpp"

namespace shardmill::base {

std::string_view version() noexcept {
  return SHARDMILL_VERSION;
}

LibraryVersions library_versions() {
  const unsigned xxhash = XXH_versionNumber();
  LibraryVersions versions = {
      {"fmt", fmt::format("{}.{}.{}", FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100)},
      {"openssl", OpenSSL_version(OPENSSL_VERSION_STRING)},
      {"simdjson", simdjson_version()},
      {"xxhash", fmt::format("{}.{}.{}", xxhash / 10000, xxhash / 100 % 100, xxhash % 100)}};
  if (const std::string libcurl = libcurl_version(); !libcurl.empty())
    versions.emplace_back("libcurl", libcurl);
  return versions;
}

}  // namespace shardmill::base
