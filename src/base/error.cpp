#include "shardmill/base/error.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace shardmill {

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
  return out;
}

std::string to_string(const Where& where) {
  std::string out = printable(where.path);
  const auto add = [&out](const std::string& part) { out += (out.empty() ? "" : ": ") + part; };
  if (!where.member.empty()) add(fmt::format("member '{}'", printable(where.member)));
  if (where.block && where.offset) {
    add(fmt::format("block {} at offset {}", *where.block, *where.offset));
  } else if (where.block) {
    add(fmt::format("block {}", *where.block));
  } else if (where.offset) {
    add(fmt::format("offset {}", *where.offset));
  }
  return out;
}

Error::Error(std::string problem, Where where, std::string advice)
    : problem_(std::move(problem)), where_(std::move(where)), advice_(std::move(advice)) {
  const std::string place = to_string(where_);
  text_ = place.empty() ? problem_ : place + ": " + problem_;
  if (!advice_.empty()) text_ += " (" + advice_ + ")";
}

Error Error::within(const Where& outer) const {
  Where merged = where_;
  if (merged.path.empty()) merged.path = outer.path;
  if (merged.member.empty()) merged.member = outer.member;
  if (!merged.offset) merged.offset = outer.offset;
  if (!merged.block) merged.block = outer.block;
  return Error(problem_, merged, advice_);
}

Error system_error(const std::string& doing, const std::string& path) {
  const int code = errno;
  std::string advice;
  if (code == ENOSPC || code == EDQUOT) advice = "make room, then run the same command again";
  if (code == EMFILE) advice = "raise the limit on open files: ulimit -n";
  return Error(doing + ": " + std::strerror(code), at(path), advice);
}

}  // namespace shardmill
