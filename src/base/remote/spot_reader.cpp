#include "base/remote/spot_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include "base/error.hpp"
#include "base/remote/access.hpp"
#include "base/remote/url.hpp"
#include "base/text/units.hpp"

namespace shardmill::base {

namespace {

/// False for an answer that says nothing of the version.
bool is_other_version(const HttpAnswer& answer, const std::string& version) {
  const std::string now = answer.header(version.starts_with('"') ? "etag" : "last-modified");
  return !now.empty() && !version.empty() && now != version;
}

}  // namespace

SpotReader::SpotReader(std::string address)
    : address_(std::move(address)), object_(RemoteObject::open(address_)) {}

std::size_t SpotReader::read_at(std::span<std::byte> out, std::uint64_t offset) const {
  const std::size_t wanted = std::min<std::uint64_t>(out.size(), size() - std::min(size(), offset));
  if (wanted == 0) return 0;
  const std::string& version = object_->version();
  std::map<std::string, std::string> headers{
      {"range", fmt::format("bytes={}-{}", offset, offset + wanted - 1)}};
  if (version.starts_with('"')) headers["if-match"] = version;
  const HttpAnswer answer = RemoteAccess::of_process().ask(address_, "GET", headers, wanted);
  const bool is_exact =
      answer.status == 206 && answer.is_good() && answer.body.size() == wanted &&
      answer.header("content-range") == fmt::format("bytes {}-{}/{}", offset, offset + wanted - 1, size()) &&
      !is_other_version(answer, version);
  // Whatever else a server answers, the object knows what to make of it.
  if (!is_exact) return object_->read_at(out, offset);
  std::memcpy(out.data(), answer.body.data(), wanted);
  return wanted;
}

std::optional<RemoteEntry> remote_file_entry(const std::string& address) {
  const HttpAnswer answer = RemoteAccess::of_process().ask(address, "HEAD", {}, 0);
  if (is_missing(answer)) return std::nullopt;
  if (answer.is_good() && !answer.header("content-length").empty()) {
    return RemoteEntry{.kind = RemoteEntry::Kind::file,
                       .bytes = count_in(answer.header("content-length")).value_or(0),
                       .version = answer.header("etag")};
  }
  // An answer to HEAD has no words: a token may have run out. To open it asks in other ways, and says why
  // not.
  const auto object = RemoteObject::open(address);
  return RemoteEntry{.kind = RemoteEntry::Kind::file, .bytes = object->size(), .version = object->version()};
}

std::string latest_known_address(const std::string& address) {
  std::string shown = shown_address(address);
  RemoteAccess::of_process().remember(shown, address);
  return shown;
}

}  // namespace shardmill::base
