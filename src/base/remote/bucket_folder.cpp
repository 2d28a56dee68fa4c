#include "base/remote/bucket_folder.hpp"

#include <fmt/format.h>

#include <chrono>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "base/hash/crc.hpp"
#include "base/io/file.hpp"
#include "base/remote/access.hpp"
#include "base/remote/listing.hpp"
#include "base/text/units.hpp"

namespace shardmill::base {

namespace {

constexpr const char* kSumHeader = "x-amz-checksum-crc64nvme";

std::string without_slashes(std::string address) {
  while (address.ends_with('/')) address.pop_back();
  return address;
}

/// True if the server does not support the request. False if it failed for another reason.
bool is_too_much(const HttpAnswer& answer) {
  return answer.problem.empty() && (answer.status == 400 || answer.status == 501);
}

/// True if the status is 200 but the body is an error, as CompleteMultipartUpload may answer.
bool is_error_in_words(const HttpAnswer& answer) {
  return answer.is_good() && answer.body_text().find("<Error>") != std::string::npos;
}

/// True for a good answer to the question for a new upload, or for the end of one.
bool is_about_upload(const HttpAnswer& answer) {
  return is_error_in_words(answer) || answer.body_text().find("MultipartUploadResult") != std::string::npos;
}

/// True if the server answers that it is putting this upload together already. If one of Ceph's gateways dies
/// at that work, the answer stays the same for ten minutes, until its lock ends.
bool is_being_completed(const HttpAnswer& answer) {
  return answer.status >= 500 && answer.body_text().find("already in progress") != std::string::npos;
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

BucketFolder::BucketFolder(std::string address)
    : address_(without_slashes(std::move(address))), place_(parse_bucket_key(address_)) {}

std::string BucketFolder::address_of(std::string_view name) const {
  return fmt::format("{}/{}", address_, name);
}

void BucketFolder::refuse(const HttpAnswer& answer, const std::string& name) const {
  refuse_answer(answer, address_of(name), "cannot be written");
}

BucketKey BucketFolder::key_of(const std::string& name) const {
  return {.bucket = place_.bucket, .key = place_.key + (place_.key.empty() ? "" : "/") + name};
}

HttpAnswer BucketFolder::ask(const std::string& method, const std::string& name, const std::string& query,
                             std::map<std::string, std::string> headers, std::string_view body,
                             unsigned attempts) const {
  if (!body.empty()) headers.emplace("content-type", "application/octet-stream");
  const auto is_answer = [method](const HttpAnswer& answer) {
    if (method == "DELETE") return answer.body.empty();
    return method == "POST" ? is_about_upload(answer) : has_tag(answer);
  };
  return RemoteAccess::of_process().ask(BucketRequest{.method = method,
                                                      .object = key_of(name),
                                                      .query = query,
                                                      .headers = std::move(headers),
                                                      .body = body,
                                                      .attempts = attempts,
                                                      .is_answer = is_answer});
}

BucketFolder::Objects BucketFolder::list() const {
  const std::string prefix = place_.key.empty() ? "" : place_.key + "/";
  Objects found;
  for (ListedObject& object : list_objects({.bucket = place_.bucket, .key = prefix}))
    found[object.key.substr(prefix.size())] = {.bytes = object.bytes, .etag = std::move(object.etag)};
  return found;
}

std::string BucketFolder::any_object() const {
  const std::string prefix = place_.key.empty() ? "" : place_.key + "/";
  const auto page =
      ask_for_list({.bucket = place_.bucket, .key = {}},
                   "encoding-type=url&list-type=2&max-keys=1&prefix=" + percent_encoded(prefix, false),
                   "ListBucketResult");
  const auto entries = page ? elements(*page, "Contents") : std::vector<std::string_view>();
  if (entries.empty()) return {};
  const std::string key = key_in_list(*page, element(entries.front(), "Key"));
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
  const HttpAnswer answer = RemoteAccess::of_process().ask(
      {.object = key_of(name), .limit_bytes = kMostBytes, .is_answer = has_tag});
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
  const BucketKey bucket{.bucket = place_.bucket, .key = {}};
  std::vector<Upload> found;
  std::set<std::pair<std::string, std::string>> seen;
  std::string key;
  std::string id;
  bool goes_on = true;
  while (goes_on) {
    std::string query = "encoding-type=url";
    if (!key.empty()) query += "&key-marker=" + percent_encoded(key, false);
    query += "&prefix=" + percent_encoded(folder + name, false);
    if (!id.empty()) query += "&upload-id-marker=" + percent_encoded(id, false);
    const std::string xml = *ask_for_list(bucket, query + "&uploads", "ListMultipartUploadsResult");
    for (const std::string_view entry : elements(xml, "Upload")) {
      const std::string upload_key = key_in_list(xml, element(entry, "Key"));
      if (upload_key.starts_with(folder))
        found.push_back({.name = upload_key.substr(folder.size()), .id = element(entry, "UploadId")});
    }
    key = key_in_list(xml, element(xml, "NextKeyMarker"));
    id = element(xml, "NextUploadIdMarker");
    goes_on = list_goes_on(xml, bucket, !key.empty() && seen.insert({key, id}).second);
  }
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
  std::string id = element(answer.body_text(), "UploadId");
  if (id.empty())
    throw Error("cannot be written: the server begins an upload without a name for it", at(address_of(name)));
  return id;
}

BucketFolder::Part BucketFolder::write_part(const Upload& upload, unsigned number, std::string_view bytes,
                                            std::uint64_t crc) const {
  const HttpAnswer answer =
      ask_with_sum("PUT", upload.name, fmt::format("partNumber={}&{}", number, query_of(upload)), bytes,
                   {{kSumHeader, crc64_text(crc)}}, 9);
  if (!answer.is_good()) refuse(answer, upload.name);
  if (sums_ == Sums::unknown && !answer.header(kSumHeader).empty()) sums_ = Sums::taken;
  return {.bytes = bytes.size(), .etag = answer.header("etag"), .crc64 = answer.header(kSumHeader)};
}

std::optional<BucketFolder::Parts> BucketFolder::parts(const Upload& upload) const {
  const BucketKey object = key_of(upload.name);
  Parts found;
  std::set<std::string> seen;
  std::string marker;
  bool goes_on = true;
  while (goes_on) {
    const std::string from = marker.empty() ? "" : "part-number-marker=" + marker + "&";
    const auto xml = ask_for_list(object, from + query_of(upload), "ListPartsResult");
    if (!xml) return std::nullopt;
    for (const std::string_view entry : elements(*xml, "Part")) {
      const auto number = static_cast<unsigned>(count_in(element(entry, "PartNumber")).value_or(0));
      found[number] = {.bytes = count_in(element(entry, "Size")).value_or(0),
                       .etag = element(entry, "ETag"),
                       .crc64 = element(entry, "ChecksumCRC64NVME")};
    }
    if (element(*xml, "ChecksumAlgorithm") == "CRC64NVME") sums_ = Sums::taken;
    marker = element(*xml, "NextPartNumberMarker");
    goes_on = list_goes_on(*xml, object, seen.insert(marker).second && !marker.empty());
  }
  return found;
}

std::optional<std::string> BucketFolder::complete(const Upload& upload, const Parts& parts,
                                                  std::uint64_t crc) const {
  constexpr unsigned kRepeats = 5;
  constexpr std::chrono::minutes kLongestLock{12};
  const auto start = std::chrono::steady_clock::now();
  const bool with_sums = sums_ != Sums::not_taken;
  std::map<std::string, std::string> headers;
  if (with_sums) headers = {{kSumHeader, crc64_text(crc)}, {"x-amz-checksum-type", "FULL_OBJECT"}};
  const std::string list = list_of(parts, with_sums);
  for (unsigned repeat = 1;; ++repeat) {
    const HttpAnswer answer = ask("POST", upload.name, query_of(upload), headers, list);
    if (is_missing(answer)) return std::nullopt;
    if (answer.is_good() && !is_error_in_words(answer)) return element(answer.body_text(), "ETag");
    const std::string code = element(answer.body_text(), "Code");
    const bool is_passing = is_error_in_words(answer) && (code == "InternalError" || code == "SlowDown");
    const bool is_locked =
        is_being_completed(answer) && std::chrono::steady_clock::now() - start < kLongestLock;
    if (!is_locked && (!is_passing || repeat >= kRepeats)) refuse(answer, upload.name);
    wait_for(wait_before(repeat, answer), {});
  }
}

void BucketFolder::abort(const Upload& upload) const {
  const HttpAnswer answer = ask("DELETE", upload.name, query_of(upload));
  if (!answer.is_good() && !is_missing(answer))
    refuse_answer(answer, address_of(upload.name), "its upload cannot be ended");
}

}  // namespace shardmill::base
