// RemoteAccess: asks a server for an object, signed where it is in a bucket, again and again where that may
// help, and says in words why it did not.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/remote/credentials.hpp"
#include "base/remote/http.hpp"

namespace shardmill::base {

struct BucketRequest {
  std::string method = "GET";
  BucketKey object;                              // without a key: the bucket itself
  std::string query{};                           // sorted by its names, encoded
  std::map<std::string, std::string> headers{};  // by their names in lower case
  std::string_view body{};
  std::uint64_t limit_bytes = 16U << 20;  // of the answer
  unsigned attempts = 9;
  std::function<bool(const HttpAnswer&)> is_answer{};  // as of HttpRequest
};

/// Shared by all objects of a program: connections, and the credentials of the buckets. Thread-safe.
class RemoteAccess {
 public:
  static RemoteAccess& of_process();

  /// From now on ask() takes `shown` for `address`, and all addresses of its server have its name and
  /// password.
  void remember(const std::string& shown, const std::string& address);
  /// The whole address for a shown one.
  std::string remembered(const std::string& address);

  /// Sends a request for the object at `address` until there is an answer that no attempt can better, follows
  /// redirections, and renews credentials that have run out. `headers` are added to it.
  HttpAnswer ask(const std::string& address, const std::string& method,
                 const std::map<std::string, std::string>& headers, std::uint64_t limit_bytes,
                 const std::stop_token& stop = {},
                 std::function<std::vector<std::byte>(std::uint64_t bytes)> room = {});
  /// The same in the terms of buckets.
  HttpAnswer ask(const BucketRequest& request);

  /// A text of a server, without passwords and signatures that it repeats.
  std::string without_secrets(std::string text);

  // See tell_of_long_waits().
  void tell_of_long_waits(std::function<void(const std::string& news)> tell);

  // See keep_connections_from_children().
  static void before_fork() noexcept;
  static void after_fork_in_parent() noexcept;
  static void after_fork_in_child() noexcept;

 private:
  struct Bucket {
    BucketPlace place;
    std::optional<Credentials> credentials;
  };

  HttpAnswer send(const HttpRequest& request);
  unsigned attempts_at(const HttpRequest& request);
  void tell_of_wait(std::chrono::duration<double> in_all, std::chrono::duration<double> wait,
                    const HttpRequest& request, const HttpAnswer& answer);
  HttpAnswer ask_signed(const BucketKey& object, const std::string& query, HttpRequest request);
  HttpAnswer follow(HttpRequest request, bool is_signed);
  HttpAnswer why_not(const BucketKey& object, HttpAnswer&& answer);
  Bucket bucket();
  void forget_credentials();
  void move_to_region(const std::string& region);
  void move_to_own_host();

  std::mutex mutex_;
  std::vector<HttpClient> idle_;
  std::optional<Bucket> bucket_;
  std::map<std::string, std::string> addresses_;  // whole ones, with their secrets, by the shown ones
  std::map<std::string, std::string> users_;      // names and passwords, by the servers
  std::set<std::string> unreachable_;             // servers that gave no answer the last time

  std::mutex news_mutex_;
  std::function<void(const std::string& news)> tell_{};
  std::chrono::steady_clock::time_point silent_until_{};
};

/// The text of an element in the XML that a bucket answers with: <Code>NoSuchKey</Code>. Letters that XML
/// spells out, as "&amp;", are themselves again.
std::string element(std::string_view xml, std::string_view name);

/// True for a good answer of a bucket about an object; other servers need not give tags.
bool has_tag(const HttpAnswer& answer);

/// True if the bucket has no such object.
bool is_missing(const HttpAnswer& answer);

/// The Error for an answer that is no success: what the server said, and what may help.
Error answer_error(const HttpAnswer& answer, const std::string& shown_address,
                   const std::string& problem = "cannot be read");

/// Throws that Error, or a FatalError if the server fails or does not accept the credentials: then no object
/// can be read, and none may count as damaged.
[[noreturn]] void refuse_answer(const HttpAnswer& answer, const std::string& shown_address,
                                const std::string& problem = "cannot be read");

}  // namespace shardmill::base
