#include "base/remote/url.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

#include "base/error.hpp"

namespace shardmill::base {

namespace {

constexpr std::string_view kBucket = "s3://";

bool is_plain(char letter) noexcept {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '-' || letter == '.' ||
         letter == '_' || letter == '~';
}

std::string in_lower_case(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return result;
}

/// The scheme of a web address, with "://"; empty for other texts.
std::string_view web_scheme(std::string_view text) noexcept {
  for (const std::string_view scheme : {std::string_view("http://"), std::string_view("https://")}) {
    if (text.starts_with(scheme)) return scheme;
  }
  return {};
}

/// That of any address; empty for other texts.
std::string_view any_scheme(std::string_view text) noexcept {
  const std::size_t end = text.find("://");
  if (end == std::string_view::npos || end == 0) return {};
  const bool is_scheme = std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(end),
                                     [](unsigned char letter) { return std::isalnum(letter) != 0; });
  return is_scheme ? text.substr(0, end + 3) : std::string_view();
}

[[noreturn]] void refuse(std::string_view text, const char* why) {
  // What follows may be a password with a letter that ends a host.
  const std::size_t host = std::min(text.find("://") + 3, text.size());
  throw UsageError(why, at(std::string(text.substr(0, host)) + "…"),
                   "an address reads https://HOST/PATH or s3://BUCKET/KEY; letters such as / and @ of a "
                   "password are written as %2F and %40");
}

bool is_host(std::string_view host) noexcept {
  return !host.empty() && std::all_of(host.begin(), host.end(), [](unsigned char letter) {
    return std::isalnum(letter) != 0 || letter == '-' || letter == '.' || letter == '_' || letter == '[' ||
           letter == ']' || letter == ':';
  });
}

/// "HOST:PORT" or "[ADDRESS]:PORT" into its two parts.
std::pair<std::string_view, std::string_view> host_and_port(std::string_view text) {
  const auto bracket = text.rfind(']');
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos || (bracket != std::string_view::npos && colon < bracket))
    return {text, {}};
  return {text.substr(0, colon), text.substr(colon + 1)};
}

bool is_port(std::string_view port) noexcept {
  return port.size() <= 5 &&
         std::all_of(port.begin(), port.end(), [](unsigned char digit) { return std::isdigit(digit) != 0; });
}

/// Spaces and bytes beyond ASCII, which people type into addresses, are encoded; the rest stays.
std::string tidy_path(std::string_view path) {
  std::string result;
  for (const char letter : path) {
    const auto byte = static_cast<unsigned char>(letter);
    if (byte <= ' ' || byte >= 0x7f || letter == '"' || letter == '<' || letter == '>') {
      result += fmt::format("%{:02X}", byte);
    } else {
      result += letter;
    }
  }
  return result.empty() ? "/" : result;
}

}  // namespace

bool is_remote(std::string_view path) noexcept {
  return path.starts_with(kBucket) || !web_scheme(path).empty();
}

std::string shown_address(std::string_view path) {
  const std::string_view scheme = any_scheme(path);
  if (scheme.empty() || scheme == kBucket) return std::string(path);
  std::string_view rest = path.substr(scheme.size());
  rest = rest.substr(0, rest.find_first_of("?#"));
  const std::string_view authority = rest.substr(0, rest.find('/'));
  if (const auto password = authority.rfind('@'); password != std::string_view::npos)
    rest.remove_prefix(password + 1);
  return std::string(scheme) + std::string(rest);
}

std::string percent_encoded(std::string_view text, bool keeps_slashes) {
  std::string result;
  for (const char letter : text) {
    if (is_plain(letter) || (keeps_slashes && letter == '/')) {
      result += letter;
    } else {
      result += fmt::format("%{:02X}", static_cast<unsigned char>(letter));
    }
  }
  return result;
}

std::string percent_decoded(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned value = 0;
    const std::string_view digits = text.substr(i + 1, 2);
    const bool is_encoded =
        text[i] == '%' && digits.size() == 2 &&
        std::from_chars(digits.data(), digits.data() + 2, value, 16).ptr == digits.data() + 2;
    result += is_encoded ? static_cast<char>(value) : text[i];
    if (is_encoded) i += 2;
  }
  return result;
}

std::string Url::text() const {
  return text_with_user({});
}

std::string Url::text_with_user(std::string_view name_and_password) const {
  return fmt::format("{}://{}{}{}{}{}{}", scheme, name_and_password, name_and_password.empty() ? "" : "@",
                     host_header(), path, query.empty() ? "" : "?", query);
}

Url parse_url(std::string_view text) {
  const std::string_view scheme = web_scheme(text);
  if (scheme.empty()) refuse(text, "is not an address of a web server");
  std::string_view rest = text.substr(scheme.size());
  rest = rest.substr(0, rest.find('#'));
  std::string_view authority = rest.substr(0, rest.find_first_of("/?"));
  rest.remove_prefix(authority.size());
  Url url{.scheme = std::string(scheme.substr(0, scheme.size() - 3)), .host = {}, .path = {}};
  if (const auto user = authority.rfind('@'); user != std::string_view::npos) {
    url.user = authority.substr(0, user);
    authority.remove_prefix(user + 1);
  }
  const auto [host, port] = host_and_port(authority);
  if (!is_host(host) || !is_port(port)) refuse(text, "is an address without a valid host");
  url.host = in_lower_case(host);
  url.port = port;
  const auto question = rest.find('?');
  url.path = tidy_path(rest.substr(0, question));
  if (question != std::string_view::npos) url.query = tidy_path(rest.substr(question + 1));
  return url;
}

Url resolved_url(const Url& base, std::string_view location) {
  if (!web_scheme(location).empty()) return parse_url(location);
  if (location.starts_with("//")) return parse_url(base.scheme + ":" + std::string(location));
  Url moved = base;
  moved.query.clear();
  const auto question = location.find('?');
  if (question != std::string_view::npos) moved.query = tidy_path(location.substr(question + 1));
  const std::string_view path = location.substr(0, question);
  if (path.starts_with('/')) {
    moved.path = tidy_path(path);
  } else {
    moved.path = base.path.substr(0, base.path.rfind('/') + 1) + tidy_path(path);
  }
  return moved;
}

BucketKey parse_bucket_key(std::string_view text) {
  if (!text.starts_with(kBucket)) refuse(text, "is not an address of a bucket");
  const std::string_view rest = text.substr(kBucket.size());
  const auto slash = rest.find('/');
  BucketKey result{.bucket = std::string(rest.substr(0, slash)), .key = {}};
  if (!is_host(result.bucket)) refuse(text, "names no bucket");
  if (slash != std::string_view::npos) result.key = rest.substr(slash + 1);
  return result;
}

}  // namespace shardmill::base
