#include "base/remote/object_facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "base/error.hpp"
#include "base/io/volumes.hpp"
#include "base/remote/access.hpp"
#include "base/remote/object.hpp"
#include "base/remote/url.hpp"
#include "base/text/units.hpp"

namespace shardmill::base {

namespace {

/// Sets the length of the whole object in the answer to a question for a range of it.
void set_whole_length(HttpAnswer& answer) {
  const std::string range = answer.header("content-range");
  if (answer.status == 206) answer.headers["content-length"] = range.substr(range.rfind('/') + 1);
}

HttpAnswer head_of(const std::string& address) {
  constexpr std::uint64_t kMessageBytes = 64 * 1024;
  RemoteAccess& access = RemoteAccess::of_process();
  HttpAnswer answer = access.ask(address, "HEAD", {}, 0);
  if (answer.is_good() && !answer.header("content-length").empty()) return answer;
  // An address may be signed for GET only, and only the answer to a GET has an explanation.
  HttpAnswer again = access.ask(address, "GET", {{"range", "bytes=0-0"}}, kMessageBytes);
  const bool is_empty = again.status == 416 && again.header("content-range").ends_with("*/0");
  if (is_empty) {
    again.headers["content-length"] = "0";
    return again;
  }
  const bool knows_no_ranges = again.status == 200;
  if (knows_no_ranges) again.problem.clear();  // more than was asked for
  if (!again.is_good()) refuse_answer(again, shown_address(address));
  set_whole_length(again);
  return again;
}

std::optional<ObjectFacts> facts_in(const std::string& address, const HttpAnswer& answer) {
  const auto size = count_in(answer.header("content-length"));
  if (!size) return std::nullopt;
  ObjectFacts facts = version_in(answer);
  facts.bytes = *size;
  facts.md5 = md5_in_tag(address, answer);
  return facts;
}

/// The facts of many objects, from one question each.
class KeptFacts {
 public:
  static KeptFacts& of_process() {
    static KeptFacts facts;
    return facts;
  }

  void begin() { keeps_ = true; }

  std::shared_ptr<const ObjectFacts> find(const std::string& address) const {
    const std::lock_guard lock(mutex_);
    const auto found = facts_.find(address);
    return found == facts_.end() ? nullptr : found->second;
  }

  void look_at(std::vector<std::string> addresses) {
    constexpr std::size_t kAtATime = 16;
    if (!keeps_) return;
    std::erase_if(addresses, [&](const auto& each) { return !is_remote(each) || find(each) != nullptr; });
    if (addresses.size() < 2) return;  // it would be asked for no earlier
    const std::uint64_t bytes = bytes_of_each(addresses.size());
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
      for (std::size_t i = next++; i < addresses.size(); i = next++) look_at(addresses[i], bytes);
    };
    std::vector<std::jthread> workers;
    for (std::size_t i = 1; i < std::min(kAtATime, addresses.size()); ++i) {
      try {
        workers.emplace_back(work);
      } catch (const std::system_error&) {
        break;  // those that are there do it
      }
    }
    work();
  }

 private:
  std::uint64_t bytes_of_each(std::size_t more) const {
    constexpr std::uint64_t kOfAll = std::uint64_t{16} << 20;
    constexpr std::uint64_t kMost = std::uint64_t{256} << 10;
    constexpr std::uint64_t kLeast = 1024;
    const std::lock_guard lock(mutex_);
    const std::uint64_t bytes = std::min(kOfAll / (facts_.size() + more), kMost);
    return bytes < kLeast ? 1 : bytes;
  }

  /// Whatever goes wrong is found again, and said, when the object is opened.
  void look_at(const std::string& address, std::uint64_t bytes) noexcept try {
    HttpAnswer answer = RemoteAccess::of_process().ask(
        address, "GET", {{"range", fmt::format("bytes=0-{}", bytes - 1)}}, bytes);
    if (!answer.is_good() || answer.status != 206) return;
    const std::size_t received = answer.body.size();
    set_whole_length(answer);
    auto facts = facts_in(address, answer);
    if (!facts || facts->version().empty() || received != std::min(bytes, facts->bytes)) return;
    if (!saved_instead(answer.body).empty()) return;
    if (bytes > 1) facts->begin = std::move(answer.body);
    const std::lock_guard lock(mutex_);
    facts_.try_emplace(address, std::make_shared<const ObjectFacts>(std::move(*facts)));
  } catch (...) {
  }

  std::atomic<bool> keeps_{false};
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const ObjectFacts>> facts_;
};

}  // namespace

bool ObjectFacts::may_be_same(const ObjectFacts& other) const {
  const auto differs = [](const std::string& one, const std::string& two) {
    return !one.empty() && !two.empty() && one != two;
  };
  if (differs(etag, other.etag) || differs(weak_etag, other.weak_etag)) return false;
  return !etag.empty() || !differs(modified, other.modified);
}

std::optional<AnsweredRange> range_in(const HttpAnswer& answer) {
  constexpr std::string_view kUnit = "bytes ";
  const std::string text = answer.header("content-range");
  const std::size_t slash = text.rfind('/');
  if (!text.starts_with(kUnit) || slash == std::string::npos) return std::nullopt;
  AnsweredRange range{.bytes = count_in(text.substr(slash + 1))};
  const std::string_view between = std::string_view(text).substr(kUnit.size(), slash - kUnit.size());
  if (between == "*") return range;
  const std::size_t dash = between.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto first = count_in(between.substr(0, dash));
  const auto last = count_in(between.substr(dash + 1));
  if (!first || !last || *last < *first) return std::nullopt;
  range.begin = *first;
  range.end = *last + 1;
  return range;
}

ObjectFacts version_in(const HttpAnswer& answer) {
  ObjectFacts facts{.etag = answer.header("etag"), .modified = answer.header("last-modified")};
  if (facts.etag.starts_with("W/")) facts.weak_etag = std::exchange(facts.etag, {});
  return facts;
}

std::optional<std::string> md5_in_tag(const std::string& address, const HttpAnswer& answer) {
  constexpr std::size_t kDigits = 32;
  const std::string tag = answer.header("etag");
  const bool is_encrypted = answer.header("x-amz-server-side-encryption").starts_with("aws:kms") ||
                            !answer.header("x-amz-server-side-encryption-customer-algorithm").empty();
  if (!address.starts_with("s3://") || is_encrypted || tag.size() != kDigits + 2) return std::nullopt;
  const std::string digits = tag.substr(1, kDigits);
  if (digits.find_first_not_of("0123456789abcdef") != std::string::npos) return std::nullopt;
  return digits;
}

/// Of a file whose length the server does not say before it has sent all of it.
std::optional<ObjectFacts> facts_of_whole(const std::string& address) {
  HttpAnswer answer = RemoteAccess::of_process().ask(address, "GET", {}, kWholeBytes);
  if (!answer.is_good() || answer.status != 200) return std::nullopt;
  ObjectFacts facts = version_in(answer);
  facts.bytes = answer.body.size();
  facts.begin = std::move(answer.body);
  return facts;
}

ObjectFacts facts_of_object(const std::string& address) {
  auto facts = facts_in(address, head_of(address));
  if (!facts) facts = facts_of_whole(address);
  if (!facts) {
    throw Error("cannot be read: the server does not say how long it is", at(shown_address(address)),
                "download it, and give the file");
  }
  return std::move(*facts);
}

std::shared_ptr<const ObjectFacts> kept_facts(const std::string& address) {
  return KeptFacts::of_process().find(address);
}

void keep_remote_facts() {
  KeptFacts::of_process().begin();
}

void look_at_remote_objects(const std::vector<std::string>& addresses) {
  KeptFacts::of_process().look_at(addresses);
}

}  // namespace shardmill::base
