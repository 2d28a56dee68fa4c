#include "base/remote/http.hpp"

#include <curl/curl.h>
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <cstdlib>
#include <random>
#include <span>
#include <thread>
#include <utility>

#include "base/error.hpp"
#include "base/remote/object.hpp"
#include "base/system/process.hpp"
#include "base/text/letters.hpp"
#include "base/text/units.hpp"

namespace shardmill::base {

namespace {

using std::chrono::milliseconds;

struct FreeList {
  void operator()(curl_slist* list) const noexcept { ::curl_slist_free_all(list); }
};
using List = std::unique_ptr<curl_slist, FreeList>;

std::atomic<bool> leaves_no_core{false};

bool start_library() {
  if (leaves_no_core) {
    struct rlimit limit {};
    if (::getrlimit(RLIMIT_CORE, &limit) != 0) return false;
    limit.rlim_cur = 0;
    if (::setrlimit(RLIMIT_CORE, &limit) != 0) return false;
  }
  return ::curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
}

/// One of a program: libcurl is prepared before its first use.
void prepare_library() {
  static const bool is_ready = start_library();
  if (!is_ready) throw FatalError(Error("libcurl cannot be started", {}));
}

List list_of(const HttpRequest& request) {
  List list;
  const auto add = [&list](const std::string& line) {
    curl_slist* longer = ::curl_slist_append(list.get(), line.c_str());
    if (longer == nullptr) throw std::bad_alloc();
    static_cast<void>(list.release());
    list.reset(longer);
  };
  for (const auto& [name, value] : request.headers) add(name + ": " + value);
  add("Expect:");  // many servers never say that they wait
  return list;
}

struct Receiving {
  HttpAnswer& answer;
  const HttpRequest& request;
  bool is_too_long = false;
  bool has_whole_head = false;  // libcurl takes one that is cut for whole
};

std::size_t take_header(char* data, std::size_t size, std::size_t count, void* target) {
  auto& receiving = *static_cast<Receiving*>(target);
  HttpAnswer& answer = receiving.answer;
  const std::string_view line(data, size * count);
  if (trimmed(line, "\r\n").empty()) receiving.has_whole_head = true;
  if (line.starts_with("HTTP/")) {
    receiving.has_whole_head = false;
    answer.headers.clear();  // of an answer before the last
    const std::string_view status = line.substr(std::min(line.find(' '), line.size()));
    answer.status = static_cast<int>(count_in(trimmed(status.substr(0, 4))).value_or(0));
  }
  const auto colon = line.find(':');
  if (colon != std::string_view::npos) {
    std::string name(line.substr(0, colon));
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    answer.headers.insert_or_assign(std::move(name), std::string(trimmed(line.substr(colon + 1), " \t\r\n")));
  }
  return size * count;
}

constexpr std::size_t kExplanationBytes = 64 * 1024;

std::size_t take_body(char* data, std::size_t size, std::size_t count, void* target) {
  auto& receiving = *static_cast<Receiving*>(target);
  const auto bytes = std::as_bytes(std::span(data, size * count));
  std::vector<std::byte>& body = receiving.answer.body;
  if (!receiving.answer.is_good()) {  // an explanation, of any length
    const std::size_t room = kExplanationBytes - std::min(body.size(), kExplanationBytes);
    const auto kept = bytes.first(std::min(room, bytes.size()));
    body.insert(body.end(), kept.begin(), kept.end());
    return bytes.size();
  }
  const HttpRequest& request = receiving.request;
  if (body.size() + bytes.size() > request.limit_bytes) {
    receiving.is_too_long = true;
    return 0;
  }
  // Growing step by step would take up to three times the memory, and copy all that is there again and again.
  if (body.empty()) {
    constexpr std::uint64_t kMostAtOnce = std::uint64_t{64} << 20;
    const auto expected = count_in(receiving.answer.header("content-length")).value_or(0);
    const std::uint64_t most = std::min({expected, request.limit_bytes, kMostAtOnce});
    if (request.room && body.capacity() == 0) body = request.room(most);
    body.reserve(most);
  }
  body.insert(body.end(), bytes.begin(), bytes.end());
  return bytes.size();
}

int stop_if_asked(void* request, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  return stop_signal() != 0 || static_cast<const HttpRequest*>(request)->stop.stop_requested() ? 1 : 0;
}

bool may_be_repeated(CURLcode code) noexcept {
  switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT:
    case CURLE_PARTIAL_FILE:
    case CURLE_OPERATION_TIMEDOUT:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_GOT_NOTHING:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_UNSUPPORTED_PROTOCOL:  // the answer does not begin as one of HTTP
      return true;
    default:
      return false;
  }
}

/// Of an address, where letters such as ':' and '@' are written as %3A and %40.
std::pair<std::string, std::string> name_and_password(std::string_view user) {
  const auto colon = std::min(user.find(':'), user.size());
  const auto password = user.substr(std::min(colon + 1, user.size()));
  return {percent_decoded(user.substr(0, colon)), percent_decoded(password)};
}

/// A file of certificates to trust, as other programs are told of it; empty: the system's.
std::string certificates() {
  for (const char* name : {"AWS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE"}) {
    const char* value = std::getenv(name);
    if (value != nullptr && *value != '\0') return value;
  }
  return {};
}

}  // namespace

struct HttpClient::Handle {
  CURL* curl = ::curl_easy_init();
  std::array<char, CURL_ERROR_SIZE> message{};

  Handle() {
    if (curl == nullptr) throw std::bad_alloc();
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() { ::curl_easy_cleanup(curl); }

  template <typename Value>
  void set(CURLoption option, Value value) {
    if (const CURLcode code = ::curl_easy_setopt(curl, option, value); code != CURLE_OK)
      throw FatalError(Error(fmt::format("libcurl refuses a setting: {}", ::curl_easy_strerror(code)), {}));
  }
};

HttpClient::HttpClient() {
  prepare_library();
  handle_ = std::make_unique<Handle>();
}

HttpClient::HttpClient(HttpClient&&) noexcept = default;
HttpClient& HttpClient::operator=(HttpClient&&) noexcept = default;
HttpClient::~HttpClient() = default;

HttpAnswer HttpClient::send(const HttpRequest& request) {
  constexpr long kSlowBytesPerSecond = 5000;
  constexpr long kSlowSeconds = 30;
  HttpAnswer answer;
  Receiving receiving{answer, request};
  Handle& handle = *handle_;
  ::curl_easy_reset(handle.curl);  // keeps the connection
  const List headers = list_of(request);
  const std::string address = request.url.text();
  handle.set(CURLOPT_URL, address.c_str());
  handle.set(CURLOPT_PATH_AS_IS, 1L);
  // On a connection that was used before, libcurl would send it twice if the server closes without an answer.
  if (request.attempts == 1) handle.set(CURLOPT_FRESH_CONNECT, 1L);
  handle.set(CURLOPT_PROTOCOLS_STR, "http,https");
  handle.set(CURLOPT_CUSTOMREQUEST, request.method.c_str());
  if (request.method == "HEAD") handle.set(CURLOPT_NOBODY, 1L);
  if (request.method == "PUT" || request.method == "POST") {
    handle.set(CURLOPT_POSTFIELDS, request.body.empty() ? "" : request.body.data());
    handle.set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
  }
  handle.set(CURLOPT_HTTPHEADER, headers.get());
  const auto [user, password] = name_and_password(request.url.user);
  if (!request.url.user.empty()) {
    handle.set(CURLOPT_USERNAME, user.c_str());
    handle.set(CURLOPT_PASSWORD, password.c_str());
  }
  handle.set(CURLOPT_HEADERFUNCTION, &take_header);
  handle.set(CURLOPT_HEADERDATA, &receiving);
  handle.set(CURLOPT_WRITEFUNCTION, &take_body);
  handle.set(CURLOPT_WRITEDATA, &receiving);
  handle.set(CURLOPT_NOPROGRESS, 0L);
  handle.set(CURLOPT_XFERINFOFUNCTION, &stop_if_asked);
  handle.set(CURLOPT_XFERINFODATA, &request);
  handle.set(CURLOPT_NOSIGNAL, 1L);
  handle.set(CURLOPT_ERRORBUFFER, handle.message.data());
  handle.set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(request.connect_limit.count()));
  handle.set(CURLOPT_LOW_SPEED_LIMIT, kSlowBytesPerSecond);
  handle.set(CURLOPT_LOW_SPEED_TIME, kSlowSeconds);
  // Only for speed. After a request whose host was not found, curl 7.88 refuses to change it.
  static_cast<void>(::curl_easy_setopt(handle.curl, CURLOPT_BUFFERSIZE, 256L * 1024));
  static_cast<void>(::curl_easy_setopt(handle.curl, CURLOPT_UPLOAD_BUFFERSIZE, 512L * 1024));
  const std::string trusted = certificates();
  if (!trusted.empty()) handle.set(CURLOPT_CAINFO, trusted.c_str());
  handle.message.front() = '\0';
  const CURLcode code = ::curl_easy_perform(handle.curl);
  check_stop();
  long status = 0;
  ::curl_easy_getinfo(handle.curl, CURLINFO_RESPONSE_CODE, &status);
  answer.status = static_cast<int>(status);
  long of_proxy = 0;
  ::curl_easy_getinfo(handle.curl, CURLINFO_HTTP_CONNECTCODE, &of_proxy);
  constexpr long kWantsPassword = 407;
  if (code != CURLE_OK && of_proxy == kWantsPassword) {
    answer.status = static_cast<int>(of_proxy);
  } else if (receiving.is_too_long) {
    answer.problem = "the server sent more than was asked for";
  } else if (code != CURLE_OK) {
    const char* message = handle.message.front() != '\0' ? handle.message.data() : ::curl_easy_strerror(code);
    answer.problem = printable(message);
    if (code == CURLE_PEER_FAILED_VERIFICATION)
      answer.problem += "; AWS_CA_BUNDLE names the file of certificates to trust, if they are your own";
    answer.may_be_repeated = may_be_repeated(code);
  } else if (!receiving.has_whole_head) {
    answer.problem = "the server's answer ends in the middle of its header";
    answer.may_be_repeated = true;
  }
  return answer;
}

std::string HttpAnswer::header(const std::string& name) const {
  const auto found = headers.find(name);
  return found == headers.end() ? std::string() : found->second;
}

std::string HttpAnswer::body_text() const {
  return {reinterpret_cast<const char*>(body.data()), body.size()};
}

bool may_help_to_repeat(const HttpAnswer& answer) {
  if (!answer.problem.empty()) return answer.may_be_repeated;
  // Buckets say so when a body takes its time.
  if (answer.status == 400 && answer.body_text().find("<Code>RequestTimeout<") != std::string::npos)
    return true;
  constexpr std::array kPassing{408, 429, 500, 502, 503, 504};
  return std::find(kPassing.begin(), kPassing.end(), answer.status) != kPassing.end();
}

milliseconds wait_before(unsigned attempt, const HttpAnswer& answer) {
  constexpr milliseconds kFirst{100};
  constexpr milliseconds kLongest{10'000};
  constexpr std::uint64_t kLongestAskedSeconds = 60;
  const milliseconds limit = std::min(kFirst * (1U << std::min(attempt, 10U)), kLongest);
  std::random_device random;
  const milliseconds jittered =
      limit / 2 + milliseconds(random() % (static_cast<unsigned>(limit.count()) / 2 + 1));
  const std::optional<std::uint64_t> asked = count_in(answer.header("retry-after"));
  if (!asked) return jittered;
  return std::max(jittered, milliseconds(1000 * std::min(*asked, kLongestAskedSeconds)));
}

void wait_for(milliseconds time, const std::stop_token& stop) {
  constexpr milliseconds kStep{50};
  for (; time > milliseconds(0) && !stop.stop_requested(); time -= kStep) {
    check_stop();
    std::this_thread::sleep_for(std::min(time, kStep));
  }
}

void keep_secrets_out_of_cores() {
  leaves_no_core = true;
}

std::string libcurl_version() {
  return ::curl_version_info(CURLVERSION_NOW)->version;
}

}  // namespace shardmill::base
