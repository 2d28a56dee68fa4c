#include "base/remote/listing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "base/remote/object.hpp"
#include "base/text/units.hpp"

namespace shardmill::base {

namespace {

std::string address_of(const BucketKey& place) {
  return fmt::format("s3://{}/{}", place.bucket, place.key);
}

[[noreturn]] void refuse_list(const BucketKey& place) {
  throw Error("cannot be listed: the answer of the server is not a whole list", at(address_of(place)),
              "a proxy may be in between; check AWS_ENDPOINT_URL");
}

/// Everything in a page must agree.
void take_objects(const std::string& page, const BucketKey& prefix, std::vector<ListedObject>& objects) {
  const std::vector<std::string_view> entries = elements(page, "Contents");
  for (const std::string_view entry : entries) {
    std::string key = key_in_list(page, element(entry, "Key"));
    const auto bytes = count_in(element(entry, "Size"));
    if (key.empty() || !key.starts_with(prefix.key) || !bytes) refuse_list(prefix);
    objects.push_back({.key = std::move(key), .bytes = *bytes, .etag = element(entry, "ETag")});
  }
  const std::string count = element(page, "KeyCount");
  if (!count.empty() && count != std::to_string(entries.size())) refuse_list(prefix);
}

}  // namespace

std::vector<ListedObject> list_objects(const BucketKey& prefix) {
  std::vector<ListedObject> objects;
  std::string next;
  std::set<std::string> seen;  // tokens and first keys: a server that repeats itself would never end
  bool goes_on = true;
  while (goes_on) {
    // By their names, as a signature wants them.
    std::string query = next.empty() ? "" : "continuation-token=" + percent_encoded(next, false) + "&";
    query += "encoding-type=url&list-type=2&prefix=" + percent_encoded(prefix.key, false);
    const auto page = ask_for_list({.bucket = prefix.bucket, .key = {}}, query, "ListBucketResult");
    if (!page) refuse_list(prefix);
    const std::size_t before = objects.size();
    take_objects(*page, prefix, objects);
    if (objects.size() > before && !seen.insert("key " + objects[before].key).second) refuse_list(prefix);
    next = element(*page, "NextContinuationToken");
    goes_on = list_goes_on(*page, prefix, !next.empty() && seen.insert("token " + next).second);
  }
  return objects;
}

std::vector<std::string> remote_objects(const std::string& prefix) {
  const BucketKey wanted = parse_bucket_key(prefix);
  std::vector<std::string> found;
  for (const ListedObject& object : list_objects(wanted)) {
    if (!object.key.ends_with('/')) found.push_back(address_of({.bucket = wanted.bucket, .key = object.key}));
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::optional<std::string> ask_for_list(const BucketKey& place, const std::string& query,
                                        std::string_view kind) {
  const auto is_list = [end = fmt::format("</{}>", kind)](const HttpAnswer& answer) {
    const std::string page = answer.body_text();
    const std::string goes_on = element(page, "IsTruncated");
    return page.find(end) != std::string::npos && (goes_on == "true" || goes_on == "false");
  };
  const HttpAnswer answer =
      RemoteAccess::of_process().ask({.object = place, .query = query, .is_answer = is_list});
  if (!place.key.empty() && is_missing(answer)) return std::nullopt;
  if (!answer.is_good()) {
    const bool is_of_uploads = kind == "ListMultipartUploadsResult";
    refuse_answer(answer, address_of(place),
                  is_of_uploads ? "its unfinished uploads cannot be listed" : "cannot be listed");
  }
  return answer.body_text();
}

bool list_goes_on(std::string_view page, const BucketKey& place, bool names_another) {
  if (element(page, "IsTruncated") != "true") return false;
  if (!names_another) refuse_list(place);
  return true;
}

std::vector<std::string_view> elements(std::string_view xml, std::string_view name) {
  const std::string begin = fmt::format("<{}>", name);
  const std::string end = fmt::format("</{}>", name);
  std::vector<std::string_view> found;
  for (auto at = xml.find(begin); at != std::string_view::npos; at = xml.find(begin, at)) {
    at += begin.size();
    const auto to = xml.find(end, at);
    if (to == std::string_view::npos) break;
    found.push_back(xml.substr(at, to - at));
    at = to;
  }
  return found;
}

std::string key_in_list(std::string_view page, std::string key) {
  if (element(page, "EncodingType") != "url") return key;
  std::replace(key.begin(), key.end(), '+', ' ');  // '+' itself is %2B
  return percent_decoded(key);
}

}  // namespace shardmill::base
