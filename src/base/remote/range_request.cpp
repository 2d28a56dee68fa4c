#include "base/remote/range_request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/io/volumes.hpp"
#include "base/remote/access.hpp"
#include "base/remote/range_memory.hpp"
#include "base/remote/url.hpp"

namespace shardmill::base {

namespace {

HttpAnswer ask_for(const std::string& address, const ObjectFacts& facts, std::uint64_t begin,
                   std::uint64_t end, const std::stop_token& stop) {
  std::map<std::string, std::string> headers{{"range", fmt::format("bytes={}-{}", begin, end - 1)}};
  if (!facts.etag.empty()) headers["if-match"] = facts.etag;
  const std::uint64_t limit = std::max(end - begin, std::min(facts.bytes, kWholeBytes));
  RemoteAccess& access = RemoteAccess::of_process();
  if (end - begin <= RangeMemory::kSmall) return access.ask(address, "GET", headers, limit, stop);
  return access.ask(address, "GET", headers, limit, stop,
                    [](std::uint64_t bytes) { return RangeMemory::of_process().room(bytes); });
}

/// The first bytes say whether the server answers with a page, such as one that wants a login.
void check_is_no_page(const HttpAnswer& answer, const std::string& shown) {
  if (shown.ends_with(".html") || shown.ends_with(".htm")) return;
  const std::string_view other = saved_instead(answer.body);
  if (!other.empty()) throw Error(std::string(other), at(shown));
}

/// The answer is a good one, about a range or about the whole object.
void check_bytes(const HttpAnswer& answer, const ObjectFacts& facts, std::uint64_t begin, std::uint64_t end,
                 const std::string& shown) {
  if (answer.status == 200) {
    if (answer.body.size() != facts.bytes) refuse_change(shown);
    return;
  }
  const auto got = range_in(answer);
  if (got && got->bytes && *got->bytes != facts.bytes) refuse_change(shown);
  if (!got || got->begin != begin || got->end != end || answer.body.size() != end - begin) {
    throw Error(fmt::format("cannot be read: shardmill asked for bytes {} to {}, and the server sent others",
                            begin, end - 1),
                at(shown), "a proxy may be in between; download the file, and give that");
  }
}

}  // namespace

ReceivedRange request_range(const std::string& address, const ObjectFacts& facts, std::uint64_t begin,
                            std::uint64_t end, const std::stop_token& stop) {
  const std::string shown = shown_address(address);
  HttpAnswer answer = ask_for(address, facts, begin, end, stop);
  if (answer.status == 200 && !answer.problem.empty() && !answer.may_be_repeated) {
    throw Error("cannot be read in parts: the server does not support ranges, and the file is large",
                at(shown), "download it, and give the file");
  }
  const auto got = range_in(answer);
  const bool is_shorter = answer.status == 416 && got && got->bytes && *got->bytes != facts.bytes;
  if (answer.problem.empty() && (answer.status == 412 || is_shorter)) refuse_change(shown);
  if (!answer.is_good() && begin == 0) refuse_answer(answer, shown);
  if (!answer.is_good()) throw FatalError(answer_error(answer, shown));
  if (!facts.may_be_same(version_in(answer))) refuse_change(shown);
  if (begin == 0) check_is_no_page(answer, shown);
  check_bytes(answer, facts, begin, end, shown);
  return {.bytes = std::move(answer.body), .md5 = md5_in_tag(address, answer)};
}

void refuse_change(const std::string& shown_address) {
  throw FatalError(
      Error("changed while it was read", at(shown_address), "run again when no other program writes it"));
}

}  // namespace shardmill::base
