// The objects below a prefix of a bucket.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/remote/access.hpp"
#include "base/remote/object.hpp"
#include "base/remote/url.hpp"

namespace shardmill::base {

namespace {

struct ListPage {
  std::vector<std::string> keys{};
  bool goes_on = false;
  std::string next{};
};

[[noreturn]] void refuse_list(const std::string& prefix) {
  throw Error("cannot be listed: the answer of the server is not a whole list", at(prefix),
              "a proxy may be in between; check AWS_ENDPOINT_URL");
}

/// A key that is missing in a list is missing in the dataset: everything in the answer must agree.
ListPage page_of(const std::string& text, const std::string& prefix) {
  constexpr std::string_view kEnd = "</Contents>";
  ListPage page;
  std::string_view rest = text;
  for (auto end = rest.find(kEnd); end != std::string_view::npos; end = rest.find(kEnd)) {
    const std::string_view entry = rest.substr(0, end);
    const auto begin = entry.rfind("<Contents>");
    if (begin == std::string_view::npos) refuse_list(prefix);
    std::string key = element(entry.substr(begin), "Key");
    if (key.empty()) refuse_list(prefix);
    std::replace(key.begin(), key.end(), '+', ' ');  // as Amazon encodes a space; '+' itself is %2B
    page.keys.push_back(percent_decoded(key));
    rest.remove_prefix(end + kEnd.size());
  }
  const std::string goes_on = element(text, "IsTruncated");
  const std::string count = element(text, "KeyCount");
  const bool is_whole = text.find("</ListBucketResult>") != std::string::npos &&
                        (goes_on == "true" || goes_on == "false") &&
                        (count.empty() || count == std::to_string(page.keys.size()));
  if (!is_whole) refuse_list(prefix);
  page.goes_on = goes_on == "true";
  page.next = element(text, "NextContinuationToken");
  return page;
}

}  // namespace

std::vector<std::string> remote_objects(const std::string& prefix) {
  constexpr std::uint64_t kPageBytes = 16U << 20;
  const BucketKey wanted = parse_bucket_key(prefix);
  std::vector<std::string> found;
  std::string next;
  do {
    // By their names, as a signature wants them.
    std::string query = next.empty() ? "" : "continuation-token=" + percent_encoded(next, false) + "&";
    query += "encoding-type=url&list-type=2&prefix=" + percent_encoded(wanted.key, false);
    const HttpAnswer answer = RemoteAccess::of_process().ask(
        {.object = {.bucket = wanted.bucket, .key = {}}, .query = query, .limit_bytes = kPageBytes});
    if (!answer.is_good()) refuse_answer(answer, prefix);
    const ListPage page = page_of(answer.body_text(), prefix);
    for (const std::string& key : page.keys) {
      if (!key.ends_with('/')) found.push_back(fmt::format("s3://{}/{}", wanted.bucket, key));
    }
    if (page.goes_on && (page.next.empty() || page.next == next)) refuse_list(prefix);
    next = page.goes_on ? page.next : "";
  } while (!next.empty());
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace shardmill::base
