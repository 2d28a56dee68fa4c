#include "archive/tar_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>
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

/// An empty value removes the value of an earlier record.
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

NoFile no_file(const TarHeader& header) {
  switch (header.type) {
    case '1':
      return {ShardProblem::link, "a hard link to '" + header.link_target + "'"};
    case '2':
      return {ShardProblem::link, "a symbolic link to '" + header.link_target + "'"};
    case '3':
    case '4':
      return {ShardProblem::special_file, "a device"};
    case '5':
      return {ShardProblem::directory, "a directory"};
    case '6':
      return {ShardProblem::special_file, "a fifo"};
    case 'D':
      return {ShardProblem::directory, "a directory", true};
    case 'S':
      return {ShardProblem::sparse_file, "a sparse file", true};
    default:
      return {ShardProblem::special_file, fmt::format("a member of type '{}'", header.type), true};
  }
}

bool is_odd_name(std::string_view name) {
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  if (name.empty() || name.front() == '/' || std::any_of(name.begin(), name.end(), is_control)) return true;
  return name == ".." || name.starts_with("../") || name.ends_with("/..") ||
         name.find("/../") != std::string_view::npos;
}

namespace {

constexpr std::size_t kMagicOffset = 257;
constexpr std::string_view kUstar = "ustar";
constexpr std::size_t kNone = std::string_view::npos;

bool is_trustworthy(TarBlock block, bool magic_needed) {
  constexpr std::string_view kTypes = "0123456DKLSVgxX";
  const std::optional<TarHeader> header = read_header(block);
  return header && (header->has_magic || !magic_needed) && header->size && !header->name.empty() &&
         kTypes.find(header->type) != kNone;
}

}  // namespace

std::optional<std::size_t> find_header(std::span<const std::byte> window,
                                       std::optional<std::size_t> first_boundary) {
  if (window.size() < kTarBlockBytes) return std::nullopt;
  const std::size_t last = window.size() - kTarBlockBytes;
  const std::string_view text(reinterpret_cast<const char*>(window.data()), window.size());
  const auto next_magic = [&](std::size_t from) {
    const std::size_t found = text.find(kUstar, from + kMagicOffset);
    return found == kNone ? kNone : found - kMagicOffset;
  };
  std::size_t magic = next_magic(0);
  std::size_t boundary = first_boundary.value_or(kNone);
  while (std::min(magic, boundary) <= last) {
    const std::size_t at = std::min(magic, boundary);
    if (is_trustworthy(window.subspan(at).first<kTarBlockBytes>(), at != boundary)) return at;
    if (at == boundary) boundary += kTarBlockBytes;
    if (at == magic) magic = next_magic(at + 1);
  }
  return std::nullopt;
}

namespace {

/// True if a program may have ended a tar of `tar_bytes` bytes with `zeros` zeros: with two blocks, and the
/// padding of the last record. Records have 10240 bytes by default.
bool is_padding(std::uint64_t zero_bytes, std::uint64_t tar_bytes) {
  constexpr std::uint64_t kRecordBytes = 20 * kTarBlockBytes;
  constexpr std::uint64_t kLargestRecordBytes = std::uint64_t{1} << 20;
  for (std::uint64_t record = kTarBlockBytes; record <= kLargestRecordBytes; record *= 2) {
    for (const std::uint64_t bytes : {record, record / kTarBlockBytes * kRecordBytes}) {
      if (tar_bytes % bytes == 0 && zero_bytes < bytes + 2 * kTarBlockBytes) return true;
    }
  }
  return zero_bytes <= kRecordBytes;
}

}  // namespace

void TarEnd::add(std::span<const std::byte> bytes, std::uint64_t offset) {
  if (data_) return;
  const auto first = std::find_if(bytes.begin(), bytes.end(), [](std::byte b) { return b != std::byte{0}; });
  if (first != bytes.end()) data_ = offset + static_cast<std::uint64_t>(first - bytes.begin());
}

std::optional<ShardFinding> TarEnd::finding(std::uint64_t tar_bytes) const {
  if (!offset_) return std::nullopt;
  if (data_) {
    const std::uint64_t bytes = tar_bytes - *data_;
    return ShardFinding{ShardProblem::data_after_end,
                        {},
                        *data_,
                        bytes,
                        fmt::format("{} bytes follow the end of the archive, where readers stop", bytes)};
  }
  const std::uint64_t zeros = tar_bytes - *offset_;
  if (tar_bytes % kTarBlockBytes != 0) {
    return ShardFinding{
        ShardProblem::zeros_after_end,
        {},
        *offset_,
        zeros,
        fmt::format("its {} bytes are no multiple of {}: bytes are missing, in its members or at "
                    "its end",
                    tar_bytes, kTarBlockBytes)};
  }
  if (is_padding(zeros, tar_bytes)) return std::nullopt;
  return ShardFinding{
      ShardProblem::zeros_after_end,
      {},
      *offset_,
      zeros,
      fmt::format("{} zero bytes at the end are more than the padding of a tar: zeros may have overwritten "
                  "members, as after a power failure",
                  zeros)};
}

}  // namespace shardmill::archive
