// Url: the address of an object on a web server or in a bucket, taken apart.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shardmill::base {

/// True for addresses: s3://…, http://… and https://….
bool is_remote(std::string_view path) noexcept;

/// The address as it may be shown and recorded: without a password, and cut at its '?', because what follows
/// may be a signature. Other paths come back as they are.
std::string shown_address(std::string_view path);

/// Every byte but letters, digits and - . _ ~ as %XX; '/' stays if `keeps_slashes`.
std::string percent_encoded(std::string_view text, bool keeps_slashes);

struct Url {
  std::string scheme;  // "http" or "https"
  std::string host;    // in lower case
  std::string port{};  // empty: the scheme's own
  std::string path;    // encoded; its first character is a slash
  std::string query{};
  std::string user{};  // "name:password", for basic authorization

  /// As in the header of this name.
  std::string host_header() const { return port.empty() ? host : host + ":" + port; }
  std::string text() const;
  std::string text_with_user(std::string_view name_and_password) const;
};

/// Takes http:// and https:// apart. Throws UsageError for anything that is no such address.
Url parse_url(std::string_view text);

/// The address that a server answered with: complete, or relative to `base`.
Url resolved_url(const Url& base, std::string_view location);

/// Text without its %XX.
std::string percent_decoded(std::string_view text);

struct BucketKey {
  std::string bucket;
  std::string key;  // not encoded
};

/// Takes s3://BUCKET/KEY apart. Throws UsageError if there is no bucket.
BucketKey parse_bucket_key(std::string_view text);

}  // namespace shardmill::base
