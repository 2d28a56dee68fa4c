#include "base/remote/bucket_folder.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/error.hpp"
#include "base/hash/crc64.hpp"
#include "base/io/file.hpp"
#include "base/remote/access.hpp"
#include "base/text/units.hpp"

namespace shardmill::base {

namespace {

constexpr const char* kSumHeader = "x-amz-checksum-crc64nvme";

std::string without_slashes(std::string address) {
  while (address.ends_with('/')) address.pop_back();
  return address;
}

/// The text of an XML element, with its entities turned back into characters.
std::string plain_text(std::string_view text) {
  static const std::map<std::string_view, char> kEntities{{"&quot;", '"'}, {"&amp;", '&'},   {"&lt;", '<'},
                                                          {"&gt;", '>'},   {"&apos;", '\''}, {"&#34;", '"'}};
  std::string result;
  while (!text.empty()) {
    const auto end = text.front() == '&' ? text.find(';') : std::string_view::npos;
    const auto known =
        end == std::string_view::npos ? kEntities.end() : kEntities.find(text.substr(0, end + 1));
    result += known == kEntities.end() ? text.front() : known->second;
    text.remove_prefix(known == kEntities.end() ? 1 : known->first.size());
  }
  return result;
}

std::string text_in(std::string_view xml, std::string_view name) {
  return plain_text(element(xml, name));
}

bool is_missing(const HttpAnswer& answer) {
  return answer.problem.empty() && answer.status == 404 &&
         element(answer.body_text(), "Code") != "NoSuchBucket";
}

/// True if the server does not support the request. False if it failed for another reason.
bool is_too_much(const HttpAnswer& answer) {
  return answer.problem.empty() && (answer.status == 400 || answer.status == 501);
}

/// True if the status is 200 but the body is an error, as CompleteMultipartUpload may answer.
bool is_error_in_words(const HttpAnswer& answer) {
  return answer.is_good() && answer.body_text().find("<Error>") != std::string::npos;
}

std::string query_of(const BucketFolder::Upload& upload) {
  return "uploadId=" + percent_encoded(upload.id, false);
}

std::string list_of(const BucketFolder::Parts& parts, bool with_sums) {
  std::string xml = "<CompleteMultipartUpload>";
  for (const auto& [number, part] : parts) {
    xml += fmt::format("<Part><PartNumber>{}</PartNumber><ETag>{}</ETag>", number, part.etag);
    if (with_sums && !part.crc64.empty())
      xml += fmt::format("<ChecksumCRC64NVME>{}</ChecksumCRC64NVME>", part.crc64);
    xml += "</Part>";
  }
  return xml + "</CompleteMultipartUpload>";
}

}  // namespace

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

BucketFolder::BucketFolder(std::string address)
    : address_(without_slashes(std::move(address))), place_(parse_bucket_key(address_)) {}

std::string BucketFolder::address_of(std::string_view name) const {
  return fmt::format("{}/{}", address_, name);
}

void BucketFolder::refuse(const HttpAnswer& answer, const std::string& name) const {
  refuse_answer(answer, address_of(name), "cannot be written");
}

HttpAnswer BucketFolder::ask(const std::string& method, const std::string& name, const std::string& query,
                             std::map<std::string, std::string> headers, std::string_view body,
                             unsigned attempts) const {
  if (!body.empty()) headers.emplace("content-type", "application/octet-stream");
  BucketKey object = place_;
  object.key += (object.key.empty() ? "" : "/") + name;
  return RemoteAccess::of_process().ask(BucketRequest{.method = method,
                                                      .object = std::move(object),
                                                      .query = query,
                                                      .headers = std::move(headers),
                                                      .body = body,
                                                      .attempts = attempts});
}

HttpAnswer BucketFolder::ask_for_list(const std::string& query) const {
  const HttpAnswer answer = RemoteAccess::of_process().ask(
      BucketRequest{.object = {.bucket = place_.bucket, .key = {}}, .query = query});
  if (!answer.is_good()) refuse_answer(answer, address_, "cannot be listed");
  return answer;
}

std::map<std::string, BucketFolder::Object> BucketFolder::list() const {
  const std::string prefix = place_.key.empty() ? "" : place_.key + "/";
  std::map<std::string, Object> found;
  std::string next;
  do {
    std::string query = next.empty() ? "" : "continuation-token=" + percent_encoded(next, false) + "&";
    query += "encoding-type=url&list-type=2&prefix=" + percent_encoded(prefix, false);
    const std::string xml = ask_for_list(query).body_text();
    for (const std::string_view entry : elements(xml, "Contents")) {
      const std::string key = percent_decoded(text_in(entry, "Key"));
      found[key.substr(prefix.size())] = {.bytes = count_in(element(entry, "Size")).value_or(0),
                                          .etag = text_in(entry, "ETag")};
    }
    const std::string token = text_in(xml, "NextContinuationToken");
    const bool goes_on = element(xml, "IsTruncated") == "true";
    if (goes_on && (token.empty() || token == next))
      throw Error("cannot be listed: the server does not say how its list goes on", at(address_));
    next = goes_on ? token : "";
  } while (!next.empty());
  return found;
}

std::string BucketFolder::any_object() const {
  const std::string prefix = place_.key.empty() ? "" : place_.key + "/";
  const std::string xml =
      ask_for_list("encoding-type=url&list-type=2&max-keys=1&prefix=" + percent_encoded(prefix, false))
          .body_text();
  const auto entries = elements(xml, "Contents");
  if (entries.empty()) return {};
  const std::string key = percent_decoded(text_in(entries.front(), "Key"));
  return key.starts_with(prefix) ? key.substr(prefix.size()) : "";
}

std::optional<BucketFolder::Object> BucketFolder::find(const std::string& name) const {
  const HttpAnswer answer = ask("HEAD", name, {}, {{"x-amz-checksum-mode", "ENABLED"}});
  if (answer.problem.empty() && answer.status == 404) return std::nullopt;
  if (!answer.is_good()) refuse_answer(answer, address_of(name));
  const bool is_of_parts = answer.header("x-amz-checksum-type") == "COMPOSITE";
  const std::string sha256 = answer.header("x-amz-checksum-sha256");
  return Object{.bytes = count_in(answer.header("content-length")).value_or(0),
                .etag = answer.header("etag"),
                .crc64 = is_of_parts ? "" : answer.header(kSumHeader),
                .sha256 = is_of_parts || sha256.find('-') != std::string::npos ? "" : sha256};
}

std::string BucketFolder::read(const std::string& name) const {
  constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30;
  BucketKey object = place_;
  object.key += (object.key.empty() ? "" : "/") + name;
  const HttpAnswer answer =
      RemoteAccess::of_process().ask(BucketRequest{.object = std::move(object), .limit_bytes = kMostBytes});
  if (!answer.is_good()) refuse_answer(answer, address_of(name));
  return answer.body_text();
}

/// Asks with the sums if the server may take them, and again without them if it turns out that it does not.
HttpAnswer BucketFolder::ask_with_sum(const std::string& method, const std::string& name,
                                      const std::string& query, std::string_view body,
                                      std::map<std::string, std::string> sums, unsigned attempts) const {
  if (sums_ == Sums::not_taken) return ask(method, name, query, {}, body, attempts);
  HttpAnswer answer = ask(method, name, query, std::move(sums), body, attempts);
  if (sums_ == Sums::taken || !is_too_much(answer)) return answer;
  answer = ask(method, name, query, {}, body, attempts);
  if (answer.is_good()) sums_ = Sums::not_taken;
  return answer;
}

std::string BucketFolder::write(const std::string& name, std::string_view bytes) const {
  const HttpAnswer answer =
      ask_with_sum("PUT", name, {}, bytes, {{kSumHeader, crc64_text(crc64(as_bytes(bytes)))}}, 9);
  if (!answer.is_good()) refuse(answer, name);
  return answer.header("etag");
}

bool BucketFolder::write_new(const std::string& name, std::string_view bytes) const {
  HttpAnswer answer = ask("PUT", name, {}, {{"if-none-match", "*"}}, bytes);
  if (answer.problem.empty() && (answer.status == 412 || answer.status == 409)) return false;
  if (is_too_much(answer)) answer = ask("PUT", name, {}, {}, bytes);
  if (!answer.is_good()) refuse(answer, name);
  return true;
}

void BucketFolder::remove(const std::string& name) const {
  const HttpAnswer answer = ask("DELETE", name);
  if (!answer.is_good() && !is_missing(answer)) refuse_answer(answer, address_of(name), "cannot be removed");
}

std::vector<BucketFolder::Upload> BucketFolder::uploads(const std::string& name) const {
  const std::string folder = place_.key.empty() ? "" : place_.key + "/";
  std::vector<Upload> found;
  std::string key;
  std::string id;
  do {
    std::string query = "encoding-type=url";
    if (!key.empty()) query += "&key-marker=" + percent_encoded(key, false);
    query += "&prefix=" + percent_encoded(folder + name, false);
    if (!id.empty()) query += "&upload-id-marker=" + percent_encoded(id, false);
    const std::string xml = ask_for_list(query + "&uploads").body_text();
    for (const std::string_view entry : elements(xml, "Upload")) {
      const std::string upload_key = percent_decoded(text_in(entry, "Key"));
      if (upload_key.starts_with(folder))
        found.push_back({.name = upload_key.substr(folder.size()), .id = text_in(entry, "UploadId")});
    }
    const std::string next_key = percent_decoded(text_in(xml, "NextKeyMarker"));
    const std::string next_id = text_in(xml, "NextUploadIdMarker");
    const bool goes_on = element(xml, "IsTruncated") == "true";
    if (goes_on && (next_key.empty() || std::pair(next_key, next_id) == std::pair(key, id)))
      throw Error("cannot be listed: the server does not say how its list of uploads goes on", at(address_));
    key = goes_on ? next_key : "";
    id = goes_on ? next_id : "";
  } while (!key.empty());
  return found;
}

std::optional<std::string> BucketFolder::begin_upload(const std::string& name) const {
  const HttpAnswer answer =
      ask_with_sum("POST", name, "uploads", {},
                   {{"x-amz-checksum-algorithm", "CRC64NVME"}, {"x-amz-checksum-type", "FULL_OBJECT"}}, 1);
  if (may_help_to_repeat(answer)) return std::nullopt;
  if (!answer.is_good()) refuse(answer, name);
  if (sums_ == Sums::unknown)
    sums_ = answer.header("x-amz-checksum-algorithm") == "CRC64NVME" ? Sums::taken : Sums::not_taken;
  std::string id = text_in(answer.body_text(), "UploadId");
  if (id.empty())
    throw Error("cannot be written: the server begins an upload without a name for it", at(address_of(name)));
  return id;
}

BucketFolder::Part BucketFolder::write_part(const Upload& upload, unsigned number, std::string_view bytes,
                                            std::uint64_t crc) const {
  std::map<std::string, std::string> headers;
  if (sums_ == Sums::taken) headers.emplace(kSumHeader, crc64_text(crc));
  const HttpAnswer answer = ask("PUT", upload.name, fmt::format("partNumber={}&{}", number, query_of(upload)),
                                std::move(headers), bytes);
  if (!answer.is_good()) refuse(answer, upload.name);
  return {.bytes = bytes.size(), .etag = answer.header("etag"), .crc64 = answer.header(kSumHeader)};
}

std::optional<BucketFolder::Parts> BucketFolder::parts(const Upload& upload) const {
  Parts found;
  std::string marker;
  do {
    std::string query = marker.empty() ? "" : "part-number-marker=" + marker + "&";
    const HttpAnswer answer = ask("GET", upload.name, query + query_of(upload));
    if (is_missing(answer)) return std::nullopt;
    if (!answer.is_good()) refuse_answer(answer, address_of(upload.name), "its parts cannot be listed");
    const std::string xml = answer.body_text();
    for (const std::string_view entry : elements(xml, "Part")) {
      const auto number = static_cast<unsigned>(count_in(element(entry, "PartNumber")).value_or(0));
      found[number] = {.bytes = count_in(element(entry, "Size")).value_or(0),
                       .etag = text_in(entry, "ETag"),
                       .crc64 = element(entry, "ChecksumCRC64NVME")};
    }
    if (element(xml, "ChecksumAlgorithm") == "CRC64NVME") sums_ = Sums::taken;
    const std::string next = element(xml, "NextPartNumberMarker");
    const bool goes_on = element(xml, "IsTruncated") == "true";
    if (goes_on && (next.empty() || next == marker))
      throw Error("its parts cannot be listed: the server does not say how the list goes on",
                  at(address_of(upload.name)));
    marker = goes_on ? next : "";
  } while (!marker.empty());
  return found;
}

std::optional<std::string> BucketFolder::complete(const Upload& upload, const Parts& parts,
                                                  std::uint64_t crc) const {
  constexpr unsigned kRepeats = 5;
  const bool with_sums = sums_ == Sums::taken;
  std::map<std::string, std::string> headers;
  if (with_sums) headers = {{kSumHeader, crc64_text(crc)}, {"x-amz-checksum-type", "FULL_OBJECT"}};
  const std::string list = list_of(parts, with_sums);
  for (unsigned repeat = 1;; ++repeat) {
    const HttpAnswer answer = ask("POST", upload.name, query_of(upload), headers, list);
    if (is_missing(answer)) return std::nullopt;
    if (answer.is_good() && !is_error_in_words(answer)) return text_in(answer.body_text(), "ETag");
    const std::string code = element(answer.body_text(), "Code");
    const bool is_passing = is_error_in_words(answer) && (code == "InternalError" || code == "SlowDown");
    if (!is_passing || repeat == kRepeats) refuse(answer, upload.name);
    wait_for(wait_before(repeat, answer), {});
  }
}

void BucketFolder::abort(const Upload& upload) const {
  const HttpAnswer answer = ask("DELETE", upload.name, query_of(upload));
  if (!answer.is_good() && !is_missing(answer))
    refuse_answer(answer, address_of(upload.name), "its upload cannot be ended");
}

}  // namespace shardmill::base
