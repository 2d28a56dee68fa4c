// Http: one request to a web server, which is sent again for as long as that may help.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/remote/url.hpp"

namespace shardmill::base {

struct HttpAnswer;

struct HttpRequest {
  std::string method = "GET";
  Url url;
  std::map<std::string, std::string> headers{};  // by their names in lower case
  std::string_view body{};
  unsigned attempts = 9;  // as long as another one may help; 1: it is sent at most once
  std::chrono::milliseconds connect_limit{10'000};
  std::uint64_t limit_bytes = 0;  // of the answer's body
  /// False for an answer that another program gave in the server's place, such as the page of a network that
  /// wants a login. Asked of answers that seem good; empty: all are.
  std::function<bool(const HttpAnswer&)> is_answer{};
  std::stop_token stop{};  // the answer is no longer wanted
  /// Returns an empty vector with this capacity, for the body of a good answer; empty: the body allocates.
  std::function<std::vector<std::byte>(std::uint64_t bytes)> room{};
};

struct HttpAnswer {
  int status = 0;                                // 206
  std::map<std::string, std::string> headers{};  // by their names in lower case
  std::vector<std::byte> body{};
  /// What went wrong before there was a whole answer, in words; empty: nothing.
  std::string problem{};
  bool may_be_repeated = false;  // of a problem: another attempt may succeed

  /// The value of a header; empty: it has none.
  std::string header(const std::string& name) const;
  bool is_good() const noexcept { return problem.empty() && status >= 200 && status < 300; }
  std::string body_text() const;
};

/// Sends requests one at a time and keeps the connection. Not thread-safe; one a thread.
class HttpClient {
 public:
  HttpClient();
  HttpClient(HttpClient&&) noexcept;
  HttpClient& operator=(HttpClient&&) noexcept;
  ~HttpClient();

  /// Sends the request once, and follows no redirection. Throws Interrupted if a signal asks the program to
  /// stop meanwhile.
  HttpAnswer send(const HttpRequest& request);

 private:
  struct Handle;
  std::unique_ptr<Handle> handle_;
};

/// How long to wait before attempt `attempt` (from 1), growing and jittered; the server may ask for more.
std::chrono::milliseconds wait_before(unsigned attempt, const HttpAnswer& answer);

/// False if another attempt cannot help.
bool may_help_to_repeat(const HttpAnswer& answer);

/// Waits for `time`, or until `stop` is requested. Throws Interrupted as soon as a signal asks the program to
/// stop.
void wait_for(std::chrono::milliseconds time, const std::stop_token& stop);
}  // namespace shardmill::base
