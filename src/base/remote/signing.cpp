#include "base/remote/signing.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "base/hash/hash.hpp"
#include "base/io/file.hpp"

namespace shardmill::base {

namespace {

using Digest = Sha256::Digest;

Digest sha256(std::span<const std::byte> one, std::span<const std::byte> two) {
  Sha256 hash;
  hash.update(one);
  hash.update(two);
  return hash.digest();
}

/// HMAC with SHA-256 (RFC 2104).
Digest hmac(std::span<const std::byte> key, std::string_view text) {
  constexpr std::size_t kBlockBytes = 64;
  std::array<std::byte, kBlockBytes> inner{};
  if (key.size() > inner.size()) {
    const Digest short_key = sha256(key, {});
    std::copy(short_key.begin(), short_key.end(), inner.begin());
  } else {
    std::copy(key.begin(), key.end(), inner.begin());
  }
  std::array<std::byte, kBlockBytes> outer = inner;
  for (std::byte& byte : inner) byte ^= std::byte{0x36};
  for (std::byte& byte : outer) byte ^= std::byte{0x5c};
  return sha256(outer, sha256(inner, as_bytes(text)));
}

/// "a=1&b=" of a query as it is sent: sorted, each name with its '='.
std::string canonical_query(const std::string& query) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin < query.size();) {
    const std::size_t end = std::min(query.find('&', begin), query.size());
    std::string part = query.substr(begin, end - begin);
    if (part.find('=') == std::string::npos) part += '=';
    if (part != "=") parts.push_back(std::move(part));
    begin = end + 1;
  }
  // By name and then by value: '=' must not take part in the order of names.
  std::sort(parts.begin(), parts.end(), [](const std::string& one, const std::string& two) {
    const auto one_name = one.find('=');
    const auto two_name = two.find('=');
    return std::pair(one.substr(0, one_name), one.substr(one_name)) <
           std::pair(two.substr(0, two_name), two.substr(two_name));
  });
  return fmt::format("{}", fmt::join(parts, "&"));
}

}  // namespace

std::map<std::string, std::string> signed_headers(const SignedRequest& request,
                                                  const Credentials& credentials, const std::string& region,
                                                  std::chrono::sys_seconds now, const std::string& service) {
  const std::string time = fmt::format("{:%Y%m%dT%H%M%SZ}", now);
  const std::string scope = fmt::format("{}/{}/{}/aws4_request", time.substr(0, 8), region, service);
  std::map<std::string, std::string> headers = request.headers;
  headers["host"] = request.url.host_header();
  headers["x-amz-date"] = time;
  headers["x-amz-content-sha256"] = request.payload_sha256;
  if (!credentials.session_token.empty()) headers["x-amz-security-token"] = credentials.session_token;

  std::string lines;
  std::string names;
  for (const auto& [name, value] : headers) {
    lines += fmt::format("{}:{}\n", name, value);
    names += (names.empty() ? "" : ";") + name;
  }
  const std::string canonical =
      fmt::format("{}\n{}\n{}\n{}\n{}\n{}", request.method, request.url.path,
                  canonical_query(request.url.query), lines, names, request.payload_sha256);
  const std::string to_sign =
      fmt::format("AWS4-HMAC-SHA256\n{}\n{}\n{}", time, scope, sha256_hex(as_bytes(canonical)));

  Digest key = hmac(as_bytes("AWS4" + credentials.secret_key), time.substr(0, 8));
  for (const std::string& step : {region, service, std::string("aws4_request")}) key = hmac(key, step);
  headers["authorization"] = fmt::format("AWS4-HMAC-SHA256 Credential={}/{}, SignedHeaders={}, Signature={}",
                                         credentials.access_key, scope, names, to_hex(hmac(key, to_sign)));
  return headers;
}

}  // namespace shardmill::base
