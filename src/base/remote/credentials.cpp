#include "base/remote/credentials.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <cstdlib>
#include <span>
#include <sstream>
#include <vector>

#include "base/error.hpp"
#include "base/hash/hash.hpp"
#include "base/io/file.hpp"
#include "base/io/folder.hpp"
#include "base/remote/http.hpp"
#include "base/text/json_reader.hpp"
#include "base/text/letters.hpp"

namespace shardmill::base {

namespace {

constexpr std::string_view kBlanks = " \t\r\n";

using Section = std::map<std::string, std::string>;
using Sections = std::map<std::string, Section>;

/// "dev" of "[profile dev]" and of "[dev]".
std::string section_name(const std::string& line) {
  std::string_view name = trimmed(std::string_view(line).substr(1, line.find(']') - 1));
  constexpr std::string_view kProfile = "profile ";
  if (name.starts_with(kProfile)) name = trimmed(name.substr(kProfile.size()));
  return std::string(name);
}

Sections shared_file(const Environment& environment, const std::string& variable, const std::string& usual) {
  std::string path = environment(variable).value_or("");
  if (path.empty()) {
    const std::optional<std::string> home = environment("HOME");
    if (!home) return {};
    path = *home + "/.aws/" + usual;
  }
  constexpr std::uint64_t kLimitBytes = 1U << 20;
  return exists(path) ? profiles_in(read_text(path, kLimitBytes)) : Sections();
}

/// What both shared files say of the profile that is chosen.
Section chosen_profile(const Environment& environment) {
  const std::optional<std::string> chosen = environment("AWS_PROFILE");
  const std::string name = chosen.value_or("default");
  Sections config = shared_file(environment, "AWS_CONFIG_FILE", "config");
  Sections secrets = shared_file(environment, "AWS_SHARED_CREDENTIALS_FILE", "credentials");
  if (chosen && !config.contains(name) && !secrets.contains(name)) {
    throw Error("is not in the shared files of credentials", at("AWS_PROFILE=" + name),
                "the files are ~/.aws/config and ~/.aws/credentials");
  }
  Section result = std::move(config[name]);
  for (auto& [key, value] : secrets[name]) result.insert_or_assign(key, std::move(value));
  return result;
}

std::string value_of(const Section& section, const std::string& name) {
  const auto found = section.find(name);
  return found == section.end() ? std::string() : found->second;
}

/// Throws Error for a value that would break a line of the request: a key from a file often ends with a line
/// break.
void check_letters(const char* variable, const std::string& value) {
  const bool is_good =
      std::all_of(value.begin(), value.end(), [](char letter) { return letter > ' ' && letter < 0x7f; });
  if (!is_good)
    throw Error("has a space, a line break or another letter that no key has", at(variable),
                "set it without that");
}

/// Throws Error for half of a pair of variables, and for those that pods have and we cannot use.
void check_variables(const Environment& environment) {
  constexpr std::string_view kAdvice =
      "set AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN: aws configure export-credentials "
      "prints them";
  if (environment("AWS_WEB_IDENTITY_TOKEN_FILE"))
    throw Error("names a way to get credentials that is not supported", at("AWS_WEB_IDENTITY_TOKEN_FILE"),
                std::string(kAdvice));
  for (const char* half : {"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"}) {
    if (environment(half)) throw Error("is set alone", at(half), std::string(kAdvice));
  }
}

std::optional<Credentials> of_profile(const Environment& environment) {
  const Section profile = chosen_profile(environment);
  if (const std::string key = value_of(profile, "aws_access_key_id"); !key.empty())
    return Credentials{key, value_of(profile, "aws_secret_access_key"),
                       value_of(profile, "aws_session_token")};
  for (const char* other : {"role_arn", "sso_session", "sso_start_url", "credential_process"}) {
    if (profile.contains(other)) {
      throw Error(
          fmt::format("names {} as its way to get credentials, which is not supported", other),
          at("AWS_PROFILE=" + environment("AWS_PROFILE").value_or("default")),
          "set AWS_ACCESS_KEY_ID and the other variables: aws configure export-credentials prints them");
    }
  }
  return std::nullopt;
}

HttpAnswer ask(const std::string& method, const std::string& address,
               const std::map<std::string, std::string>& headers) {
  constexpr std::uint64_t kLimitBytes = 1U << 20;
  constexpr std::chrono::milliseconds kNear{1'000};  // on this machine or its host
  return HttpClient().send({.method = method,
                            .url = parse_url(address),
                            .headers = headers,
                            .body = {},
                            .connect_limit = kNear,
                            .limit_bytes = kLimitBytes});
}

Credentials in_answer(const HttpAnswer& answer, const std::string& address) {
  try {
    JsonParser parser;
    const JsonValue found = parser.parse(answer.body_text());
    const auto member = [&](const char* name) { return std::string(found[name].text()); };
    return {member("AccessKeyId"), member("SecretAccessKey"), member("Token")};
  } catch (const Error& error) {
    throw error.within(at(address));
  }
}

std::optional<Credentials> of_container(const Environment& environment) {
  std::string address = environment("AWS_CONTAINER_CREDENTIALS_FULL_URI").value_or("");
  if (const auto relative = environment("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"))
    address = "http://169.254.170.2" + *relative;
  if (address.empty()) return std::nullopt;
  std::map<std::string, std::string> headers;
  if (const auto file = environment("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE")) {
    headers["authorization"] = std::string(trimmed(read_text(*file), kBlanks));
  } else if (const auto token = environment("AWS_CONTAINER_AUTHORIZATION_TOKEN")) {
    headers["authorization"] = *token;
  }
  const HttpAnswer answer = ask("GET", address, headers);
  if (!answer.is_good()) throw Error("gives no credentials to this container", at(shown_address(address)));
  return in_answer(answer, shown_address(address));
}

/// The role of a virtual machine at Amazon; nullopt elsewhere.
std::optional<Credentials> of_machine(const Environment& environment) {
  if (environment("AWS_EC2_METADATA_DISABLED").value_or("") == "true") return std::nullopt;
  const std::string service =
      environment("AWS_EC2_METADATA_SERVICE_ENDPOINT").value_or("http://169.254.169.254");
  const HttpAnswer token =
      ask("PUT", service + "/latest/api/token", {{"x-aws-ec2-metadata-token-ttl-seconds", "300"}});
  if (!token.is_good()) return std::nullopt;
  const std::map<std::string, std::string> headers{{"x-aws-ec2-metadata-token", token.body_text()}};
  const std::string roles = service + "/latest/meta-data/iam/security-credentials/";
  const HttpAnswer role = ask("GET", roles, headers);
  if (!role.is_good()) return std::nullopt;
  const std::string address = roles + std::string(trimmed(role.body_text(), kBlanks));
  const HttpAnswer answer = ask("GET", address, headers);
  if (!answer.is_good()) return std::nullopt;
  return in_answer(answer, address);
}

}  // namespace

Environment environment_of_process() {
  return [](const std::string& name) -> std::optional<std::string> {
    const char* value = std::getenv(name.c_str());
    return value == nullptr || *value == '\0' ? std::nullopt : std::optional<std::string>(value);
  };
}

std::map<std::string, std::map<std::string, std::string>> profiles_in(const std::string& text) {
  Sections sections;
  Section* current = nullptr;
  std::string above;  // the setting that the next ones may be below
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line.front() == '#' || line.front() == ';') continue;
    if (line.front() == '[') {
      current = &sections[section_name(line)];
      above.clear();
      continue;
    }
    const auto equals = line.find('=');
    const bool is_nested = std::isspace(static_cast<unsigned char>(line.front())) != 0;
    if (current == nullptr || equals == std::string::npos) continue;
    const std::string_view whole = line;
    const std::string name(trimmed(whole.substr(0, equals), kBlanks));
    if (!is_nested) above = name;
    current->insert_or_assign(is_nested ? above + "." + name : name,
                              std::string(trimmed(whole.substr(equals + 1), kBlanks)));
  }
  return sections;
}

BucketPlace bucket_place(const Environment& environment) {
  const Section profile = chosen_profile(environment);
  BucketPlace place;
  for (const std::string& found :
       {environment("AWS_ENDPOINT_URL_S3").value_or(""), environment("AWS_ENDPOINT_URL").value_or(""),
        value_of(profile, "endpoint_url")}) {
    if (place.endpoint.empty()) place.endpoint = found;
  }
  for (const std::string& found :
       {value_of(profile, "region"), environment("AWS_DEFAULT_REGION").value_or(""),
        environment("AWS_REGION").value_or("")}) {
    if (!found.empty()) place.region = found;
  }
  place.is_own_host = value_of(profile, "s3.addressing_style") == "virtual";
  return place;
}

Url object_url(const BucketPlace& place, const BucketKey& object) {
  const std::string key = percent_encoded(object.key, true);
  if (!place.endpoint.empty()) {
    Url url = parse_url(place.endpoint);
    if (url.path.ends_with('/')) url.path.pop_back();
    if (place.is_own_host) {
      url.host = object.bucket + "." + url.host;
      url.path += "/" + key;
    } else {
      url.path += fmt::format("/{}/{}", object.bucket, key);
    }
    return url;
  }
  // A dot in the name of a bucket does not fit the certificate of its own host.
  const bool is_in_path = object.bucket.find('.') != std::string::npos;
  const std::string host = fmt::format("s3.{}.amazonaws.com", place.region);
  Url url{.scheme = "https", .host = is_in_path ? host : object.bucket + "." + host, .path = {}};
  url.path = is_in_path ? fmt::format("/{}/{}", object.bucket, key) : "/" + key;
  return url;
}

std::optional<Credentials> find_credentials(const Environment& environment) {
  const auto key = environment("AWS_ACCESS_KEY_ID");
  const auto secret = environment("AWS_SECRET_ACCESS_KEY");
  if (key && secret) {
    const auto token = environment("AWS_SESSION_TOKEN").value_or("");
    check_letters("AWS_ACCESS_KEY_ID", *key);
    check_letters("AWS_SESSION_TOKEN", token);
    return Credentials{*key, *secret, token};
  }
  if (auto found = of_profile(environment)) return found;
  if (auto found = of_container(environment)) return found;
  check_variables(environment);
  return of_machine(environment);
}

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
