#include "base/remote/spot_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include "base/error.hpp"
#include "base/remote/access.hpp"

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

}  // namespace shardmill::base
