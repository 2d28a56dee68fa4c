#include "base/remote/access.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/error.hpp"
#include "base/hash/hash.hpp"
#include "base/io/file.hpp"
#include "base/remote/object.hpp"

namespace shardmill::base {

namespace {

constexpr unsigned kRedirections = 8;
constexpr std::string_view kHidden = "…";
constexpr unsigned kAttemptsAtUnreachable = 2;
constexpr unsigned kAttemptsAtOthers = 6;  // such as a proxy, which mostly gives the same answer again

bool is_redirection(int status) noexcept {
  constexpr std::array kCodes{301, 302, 303, 307, 308};
  return std::find(kCodes.begin(), kCodes.end(), status) != kCodes.end();
}

bool is_expired(const HttpAnswer& answer) {
  const std::string code = element(answer.body_text(), "Code");
  return code == "ExpiredToken" || code == "TokenRefreshRequired";
}

/// Some services, such as OSS, COS and TOS, want each bucket to be asked at a host of its own.
bool wants_own_host(const HttpAnswer& answer) {
  const std::string code = element(answer.body_text(), "Code");
  return code == "SecondLevelDomainForbidden" || code == "PathStyleDomainForbidden" ||
         code == "InvalidPathAccess";
}

std::string advice_for(int status, const std::string& code) {
  if (code == "RequestTimeTooSkewed") return "set the clock of this machine: it differs from the server's";
  if (code == "SignatureDoesNotMatch") return "check the secret key, and the region";
  if (code == "InvalidAccessKeyId") return "check the access key";
  if (code == "ExpiredToken" || code == "InvalidToken")
    return "get new credentials: the session token of these has run out, or is not whole";
  if (code == "AuthorizationHeaderMalformed" || code == "PermanentRedirect")
    return "check the region (AWS_REGION), and AWS_ENDPOINT_URL";
  if (code == "InvalidObjectState") return "the object is in an archive there: have it restored first";
  if (code == "NoSuchBucket") return "check the name of the bucket, and the address of the server";
  if (is_redirection(status))
    return "signed requests follow no redirection: check AWS_ENDPOINT_URL and the region";
  switch (status) {
    case 401:
      return "give a name and a password in the address: https://NAME:PASSWORD@HOST/PATH";
    case 403:
      return "these credentials, or a request without any, may not do that";
    case 404:
    case 410:
      return "check the address; upper and lower case count";
    case 407:
      return "the proxy wants a name and a password: set https_proxy=http://NAME:PASSWORD@HOST:PORT";
    case 429:
      return "the server asks for fewer requests: try again later, with fewer threads";
    default:
      return status >= 500 ? "the server is in trouble: try again later" : "";
  }
}

/// True if it says nothing of the object that was asked for.
bool is_server_failure(const HttpAnswer& answer) {
  constexpr int kTooMany = 429;
  constexpr int kInternal = 500;
  const std::string code = element(answer.body_text(), "Code");
  return !answer.problem.empty() || answer.status == kTooMany || answer.status >= kInternal ||
         code == "ExpiredToken" || code == "InvalidToken" || code == "RequestTimeTooSkewed" ||
         code == "SignatureDoesNotMatch" || code == "InvalidAccessKeyId" ||
         code == "AuthorizationHeaderMalformed";
}

std::string server_of(const Url& url) {
  return url.scheme + "://" + url.host_header();
}

}  // namespace

RemoteAccess& RemoteAccess::of_process() {
  static RemoteAccess access;
  return access;
}

HttpAnswer RemoteAccess::send(const HttpRequest& request) {
  std::optional<HttpClient> client;
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      client = std::move(idle_.back());
      idle_.pop_back();
    }
  }
  if (!client) client.emplace();
  HttpAnswer answer;
  unsigned of_others = 0;
  const unsigned attempts = attempts_at(request);
  const auto begin = std::chrono::steady_clock::now();
  for (unsigned attempt = 1;; ++attempt) {
    answer = client->send(request);
    if (answer.is_good() && request.is_answer && !request.is_answer(answer)) {
      answer.problem =
          "the answer is not one that a bucket gives: a proxy may be in between, or AWS_ENDPOINT_URL is "
          "wrong";
      answer.may_be_repeated = true;
      if (++of_others >= kAttemptsAtOthers) break;
    }
    if (!may_help_to_repeat(answer) || attempt >= attempts || request.stop.stop_requested()) break;
    const std::chrono::milliseconds wait = wait_before(attempt, answer);
    tell_of_wait(std::chrono::steady_clock::now() - begin + wait, wait, request, answer);
    wait_for(wait, request.stop);
  }
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(*client));
  if (answer.problem.empty()) {
    unreachable_.erase(server_of(request.url));
  } else if (answer.may_be_repeated && attempts > kAttemptsAtUnreachable && !request.stop.stop_requested()) {
    unreachable_.insert(server_of(request.url));
  }
  return answer;
}

/// Short waits are not worth a line.
void RemoteAccess::tell_of_wait(std::chrono::duration<double> in_all, std::chrono::duration<double> wait,
                                const HttpRequest& request, const HttpAnswer& answer) {
  constexpr std::chrono::seconds kLong{5};
  constexpr std::chrono::seconds kBetween{10};  // two lines
  if (in_all < kLong) return;
  const std::lock_guard lock(news_mutex_);
  const auto now = std::chrono::steady_clock::now();
  if (!tell_ || now < silent_until_) return;
  silent_until_ = now + kBetween;
  tell_(fmt::format(
      "{}: {}; the next attempt is in {:.0f} s", server_of(request.url),
      answer.problem.empty() ? fmt::format("the server answers {}", answer.status) : answer.problem,
      wait.count()));
}

void RemoteAccess::tell_of_long_waits(std::function<void(const std::string& news)> tell) {
  const std::lock_guard lock(news_mutex_);
  tell_ = std::move(tell);
}

void tell_of_long_waits(std::function<void(const std::string& news)> tell) {
  RemoteAccess::of_process().tell_of_long_waits(std::move(tell));
}

std::string known_address(const std::string& address) {
  std::string shown = shown_address(address);
  if (shown != address) RemoteAccess::of_process().remember(shown, address);
  return shown;
}

void share_secrets(const std::string& known, const std::string& address) {
  if (!has_secrets(known)) return;
  const Url from = parse_url(RemoteAccess::of_process().remembered(known));
  Url to = parse_url(address);
  to.query = from.query;
  RemoteAccess::of_process().remember(address, to.text_with_user(from.user));
}

bool has_secrets(const std::string& known) {
  return RemoteAccess::of_process().remembered(known) != known;
}

/// Who has waited long for a server does not wait as long for each of a thousand files.
unsigned RemoteAccess::attempts_at(const HttpRequest& request) {
  const std::lock_guard lock(mutex_);
  const bool is_likely_in_vain = unreachable_.contains(server_of(request.url));
  return is_likely_in_vain ? std::min(request.attempts, kAttemptsAtUnreachable) : request.attempts;
}

HttpAnswer RemoteAccess::follow(HttpRequest request, bool is_signed) {
  HttpAnswer answer = send(request);
  for (unsigned count = 0; is_redirection(answer.status) && !is_signed; ++count) {
    const std::string location = answer.header("location");
    if (location.empty()) break;
    if (count == kRedirections) {
      answer.problem = "the server redirects in circles";
      break;
    }
    const Url target = resolved_url(request.url, location);
    const bool is_same_host = target.host == request.url.host && target.port == request.url.port;
    if (request.url.scheme == "https" && target.scheme == "http") {
      answer.problem = "the server redirects from https to http, where anybody may change the bytes";
      break;
    }
    std::string user = is_same_host ? request.url.user : std::string();
    request.url = target;
    if (request.url.user.empty()) request.url.user = std::move(user);
    answer = send(request);
  }
  return answer;
}

void RemoteAccess::remember(const std::string& shown, const std::string& address) {
  const std::lock_guard lock(mutex_);
  addresses_.insert_or_assign(shown, address);
  if (address.starts_with("s3://")) return;
  const Url url = parse_url(address);
  if (!url.user.empty()) users_.insert_or_assign(server_of(url), url.user);
}

std::string RemoteAccess::remembered(const std::string& address) {
  const std::lock_guard lock(mutex_);
  if (const auto found = addresses_.find(address); found != addresses_.end()) return found->second;
  if (users_.empty() || address.starts_with("s3://")) return address;
  const Url url = parse_url(address);
  const auto user = url.user.empty() ? users_.find(server_of(url)) : users_.end();
  return user == users_.end() ? address : url.text_with_user(user->second);
}

HttpAnswer RemoteAccess::ask(const std::string& address, const std::string& method,
                             const std::map<std::string, std::string>& headers, std::uint64_t limit_bytes,
                             const std::stop_token& stop,
                             std::function<std::vector<std::byte>(std::uint64_t)> room) {
  HttpRequest request{.method = method, .url = {}, .headers = headers};
  request.limit_bytes = limit_bytes;
  request.stop = stop;
  request.room = std::move(room);
  if (address.starts_with("s3://")) {
    request.is_answer = has_tag;
    return ask_signed(parse_bucket_key(address), {}, std::move(request));
  }
  request.url = parse_url(remembered(address));
  return follow(std::move(request), false);
}

HttpAnswer RemoteAccess::ask(const BucketRequest& asked) {
  HttpRequest request{.method = asked.method, .url = {}, .headers = asked.headers, .body = asked.body};
  request.attempts = asked.attempts;
  request.limit_bytes = asked.limit_bytes;
  request.is_answer = asked.is_answer;
  return ask_signed(asked.object, asked.query, std::move(request));
}

HttpAnswer RemoteAccess::ask_signed(const BucketKey& object, const std::string& query, HttpRequest request) {
  constexpr int kTurns = 3;  // renewed credentials, another region
  const std::map<std::string, std::string> plain_headers = request.headers;
  const bool is_writing = request.method != "GET" && request.method != "HEAD";
  // The server compares it with the bytes that arrived.
  const std::string payload = is_writing ? sha256_hex(as_bytes(request.body)) : "UNSIGNED-PAYLOAD";
  HttpAnswer answer;
  for (int turn = 0; turn < kTurns; ++turn) {
    const Bucket current = bucket();
    request.url = object_url(current.place, object);
    request.url.query = query;
    if (current.credentials) {
      request.headers = signed_headers(
          {.method = request.method, .url = request.url, .headers = plain_headers, .payload_sha256 = payload},
          *current.credentials, current.place.region,
          std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now()));
    }
    answer = follow(request, current.credentials.has_value());
    if (answer.problem.empty() && answer.status == 400 && request.method == "HEAD")
      answer = why_not(object, std::move(answer));
    const std::string region = answer.header("x-amz-bucket-region");
    if (is_expired(answer)) {
      forget_credentials();
    } else if ((is_redirection(answer.status) || answer.status == 400) && !region.empty() &&
               region != current.place.region) {
      move_to_region(region);
    } else if (!current.place.is_own_host && wants_own_host(answer)) {
      move_to_own_host();
    } else {
      break;
    }
  }
  return answer;
}

/// An answer to HEAD cannot explain an error. The answer to a GET of the same object can.
HttpAnswer RemoteAccess::why_not(const BucketKey& object, HttpAnswer&& answer) {
  constexpr std::uint64_t kMessageBytes = 64 * 1024;
  HttpRequest request{.method = "GET", .url = {}, .headers = {{"range", "bytes=0-0"}}};
  request.limit_bytes = kMessageBytes;
  HttpAnswer said = ask_signed(object, {}, std::move(request));
  return said.problem.empty() && said.status == answer.status ? std::move(said) : std::move(answer);
}

RemoteAccess::Bucket RemoteAccess::bucket() {
  const std::lock_guard lock(mutex_);
  if (!bucket_) {
    const Environment environment = environment_of_process();
    bucket_ = Bucket{bucket_place(environment), find_credentials(environment)};
  }
  return *bucket_;
}

void RemoteAccess::forget_credentials() {
  const std::lock_guard lock(mutex_);
  if (bucket_) bucket_->credentials = find_credentials(environment_of_process());
}

void RemoteAccess::move_to_region(const std::string& region) {
  const std::lock_guard lock(mutex_);
  if (bucket_) bucket_->place.region = region;
}

void RemoteAccess::move_to_own_host() {
  const std::lock_guard lock(mutex_);
  if (bucket_) bucket_->place.is_own_host = true;
}

std::string element(std::string_view xml, std::string_view name) {
  const std::string begin = fmt::format("<{}>", name);
  const auto from = xml.find(begin);
  if (from == std::string_view::npos) return {};
  const auto to = xml.find(fmt::format("</{}>", name), from);
  if (to == std::string_view::npos) return {};
  std::string text(xml.substr(from + begin.size(), to - from - begin.size()));
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kNames{
      {{"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&apos;", "'"}, {"&#39;", "'"}, {"&amp;", "&"}}};
  for (const auto& [entity, letter] : kNames) {  // "&amp;" last: "&amp;lt;" is "&lt;"
    for (auto found = text.find(entity); found != std::string::npos;
         found = text.find(entity, found + letter.size()))
      text.replace(found, entity.size(), letter);
  }
  return printable(text);
}

/// Servers repeat requests in their messages.
std::string RemoteAccess::without_secrets(std::string text) {
  std::vector<std::string> secrets;
  const auto add_user = [&](const std::string& user) {
    secrets.push_back(to_base64(as_bytes(percent_decoded(user))));
    const auto colon = std::min(user.find(':'), user.size());
    secrets.push_back(percent_decoded(user.substr(colon + (colon < user.size() ? 1 : 0))));
  };
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [shown, address] : addresses_) {
      if (address.starts_with("s3://")) continue;
      const Url url = parse_url(address);
      secrets.push_back(url.query);
      secrets.push_back(percent_decoded(url.query));
    }
    for (const auto& [server, user] : users_) add_user(user);
    if (bucket_ && bucket_->credentials) {
      secrets.push_back(bucket_->credentials->secret_key);
      secrets.push_back(bucket_->credentials->session_token);
    }
  }
  for (const std::string& secret : secrets) {
    if (secret.empty()) continue;
    for (auto found = text.find(secret); found != std::string::npos;
         found = text.find(secret, found + kHidden.size()))
      text.replace(found, secret.size(), kHidden);
  }
  // A signature has as many digits as a SHA-256.
  constexpr std::size_t kSignatureDigits = 64;
  constexpr std::string_view kHex = "0123456789abcdefABCDEF";
  for (auto from = text.find_first_of(kHex); from != std::string::npos;
       from = text.find_first_of(kHex, from)) {
    const std::size_t to = std::min(text.find_first_not_of(kHex, from), text.size());
    const bool is_signature = to - from >= kSignatureDigits;
    if (is_signature) text.replace(from, to - from, kHidden);
    from = is_signature ? from + kHidden.size() : to;
  }
  return text;
}

bool has_tag(const HttpAnswer& answer) {
  return !answer.header("etag").empty();
}

bool is_missing(const HttpAnswer& answer) {
  return answer.problem.empty() && answer.status == 404 &&
         element(answer.body_text(), "Code") != "NoSuchBucket";
}

Error answer_error(const HttpAnswer& answer, const std::string& shown_address, const std::string& what) {
  if (!answer.problem.empty()) {
    return Error(what + ": " + answer.problem, at(shown_address),
                 answer.may_be_repeated ? "the server was asked several times; try again later" : "");
  }
  const std::string body = answer.body_text();
  const std::string code = element(body, "Code");
  const std::string said = RemoteAccess::of_process().without_secrets(element(body, "Message"));
  std::string problem = fmt::format("{}: the server answers {}", what, answer.status);
  if (!code.empty()) problem += fmt::format(" {}{}{}", code, said.empty() ? "" : ": ", said);
  return Error(problem, at(shown_address), advice_for(answer.status, code));
}

void refuse_answer(const HttpAnswer& answer, const std::string& shown_address, const std::string& what) {
  const Error error = answer_error(answer, shown_address, what);
  if (is_server_failure(answer)) throw FatalError(error);
  throw error;
}

}  // namespace shardmill::base
