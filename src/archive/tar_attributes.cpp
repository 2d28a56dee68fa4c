#include "archive/tar_attributes.hpp"

#include <charconv>
#include <system_error>

#include "archive/tar_header.hpp"

namespace shardmill::archive {
namespace {

std::string_view text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::optional<std::uint64_t> decimal(std::string_view digits) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

/// An empty value removes what an earlier record said.
std::string_view set(std::string_view key, std::string_view value, TarAttributes& attributes) {
  if (key == "path") {
    if (value.empty()) {
      attributes.path.reset();
    } else {
      attributes.path = value;
    }
  } else if (key == "size") {
    attributes.size.reset();
    if (value.empty()) return {};
    attributes.size = decimal(value);
    if (!attributes.size || *attributes.size > kTarMaxBytes)
      return "the size in its pax header is not a number";
  } else if (key.starts_with("GNU.sparse.")) {
    attributes.sparse = true;
    if (key == "GNU.sparse.name" && !value.empty()) attributes.sparse_name = value;
  }
  return {};
}

}  // namespace

std::string_view read_pax(std::span<const std::byte> records, TarAttributes& attributes) {
  constexpr std::string_view kMalformed = "its pax header is malformed";
  std::string_view rest = text(records);
  while (!rest.empty() && rest.front() != '\0') {
    const std::size_t blank = rest.find(' ');
    if (blank == std::string_view::npos) return kMalformed;
    const std::optional<std::uint64_t> length = decimal(rest.substr(0, blank));
    if (!length || *length > rest.size() || *length < blank + 3) return kMalformed;
    const std::string_view record = rest.substr(blank + 1, *length - blank - 1);
    const std::size_t equals = record.find('=');
    if (record.back() != '\n' || equals == 0 || equals == std::string_view::npos) return kMalformed;
    const std::string_view value = record.substr(equals + 1, record.size() - equals - 2);
    if (const std::string_view problem = set(record.substr(0, equals), value, attributes); !problem.empty()) {
      return problem;
    }
    rest.remove_prefix(*length);
  }
  return {};
}

void read_long_name(std::span<const std::byte> data, TarAttributes& attributes) {
  const std::string_view all = text(data);
  attributes.path = all.substr(0, all.find('\0'));
}

}  // namespace shardmill::archive
