#include "archive/tar_header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <string_view>
#include <system_error>

namespace shardmill::archive {
namespace {

struct Field {
  std::size_t offset;
  std::size_t bytes;
};

constexpr Field kName{0, 100};
constexpr Field kMode{100, 8};
constexpr Field kUid{108, 8};
constexpr Field kGid{116, 8};
constexpr Field kSize{124, 12};
constexpr Field kMtime{136, 12};
constexpr Field kChecksum{148, 8};
constexpr Field kType{156, 1};
constexpr Field kLinkTarget{157, 100};
constexpr Field kMagic{257, 8};  // magic and version
constexpr Field kDeviceMajor{329, 8};
constexpr Field kDeviceMinor{337, 8};
constexpr Field kPrefix{345, 155};
constexpr Field kSparseContinues{482, 1};

constexpr std::uint64_t kMaxOctalSize = 077777777777;  // 11 digits: 8 GiB - 1

std::string_view view(std::span<const std::byte> bytes, Field field) {
  return {reinterpret_cast<const char*>(bytes.data()) + field.offset, field.bytes};
}

std::string text(TarBlock block, Field field) {
  const std::string_view all = view(block, field);
  return std::string(all.substr(0, all.find('\0')));
}

std::optional<std::uint64_t> base256(std::string_view field) {
  const auto first = static_cast<unsigned char>(field.front());
  if ((first & 0x40) != 0) return std::nullopt;  // negative
  std::uint64_t value = first & 0x3f;
  for (const char c : field.substr(1)) {
    if (value > kTarMaxBytes >> 8) return std::nullopt;
    value = value << 8 | static_cast<unsigned char>(c);
  }
  return value;
}

/// Reads octal digits, with blanks or NULs before them and one of these after them; base 256 if the top bit
/// is set. An empty field is 0.
std::optional<std::uint64_t> number(std::string_view field) {
  if ((static_cast<unsigned char>(field.front()) & 0x80) != 0) return base256(field);
  const auto blank = [](char c) { return c == ' ' || c == '\0'; };
  std::size_t at = 0;
  while (at < field.size() && blank(field[at])) ++at;
  std::uint64_t value = 0;
  for (; at < field.size() && !blank(field[at]); ++at) {
    if (field[at] < '0' || field[at] > '7') return std::nullopt;
    value = value * 8 + static_cast<std::uint64_t>(field[at] - '0');
  }
  return value;
}

/// Accepts both sums, because old tars added up signed characters.
bool checksum_fits(TarBlock block) {
  const std::optional<std::uint64_t> stored = number(view(block, kChecksum));
  if (!stored) return false;
  unsigned sum = 0;
  unsigned high_bytes = 0;
  for (const std::byte byte : block) {
    sum += static_cast<unsigned>(byte);
    high_bytes += static_cast<unsigned>(byte) >> 7;
  }
  for (const char c : view(block, kChecksum)) {
    sum -= static_cast<unsigned char>(c);
    high_bytes -= static_cast<unsigned char>(c) >> 7;
  }
  sum += 8 * ' ';
  const std::int64_t signed_sum = std::int64_t{sum} - 256 * std::int64_t{high_bytes};
  return *stored == sum || (signed_sum >= 0 && *stored == static_cast<std::uint64_t>(signed_sum));
}

char plain_type(char type, const std::string& name) {
  if (type == '\0') return name.ends_with('/') ? '5' : '0';
  return type == '7' ? '0' : type;
}

using Block = std::array<char, kTarBlockBytes>;

void put(Block& block, Field field, std::string_view value) {
  std::copy_n(value.data(), std::min(value.size(), field.bytes), block.data() + field.offset);
}

void put_octal(Block& block, Field field, std::uint64_t value) {
  put(block, field, fmt::format("{:0{}o}", value, field.bytes - 1));
}

void append(Bytes& out, std::string_view bytes) {
  const auto* data = reinterpret_cast<const std::byte*>(bytes.data());
  out.insert(out.end(), data, data + bytes.size());
}

void append_block(Bytes& out, std::string_view prefix, std::string_view name, std::uint64_t size, char type) {
  Block block{};
  put(block, kName, name);
  put(block, kPrefix, prefix);
  put_octal(block, kMode, 0644);
  put_octal(block, kUid, 0);
  put_octal(block, kGid, 0);
  put_octal(block, kSize, size);
  put_octal(block, kMtime, 0);
  put(block, kType, {&type, 1});
  put(block, kMagic, {"ustar\00000", 8});
  put_octal(block, kDeviceMajor, 0);
  put_octal(block, kDeviceMinor, 0);
  put(block, kChecksum, "        ");
  unsigned sum = 0;
  for (const char c : block) sum += static_cast<unsigned char>(c);
  put(block, kChecksum, fmt::format("{:06o}", sum) + '\0');  // the last blank of the field stays
  append(out, {block.data(), block.size()});
}

/// The slash that divides the name into ustar's prefix and name; npos if it cannot be divided.
std::size_t prefix_slash(std::string_view name) {
  if (name.size() > kPrefix.bytes + 1 + kName.bytes) return std::string_view::npos;
  const std::size_t slash = name.find('/', name.size() - kName.bytes - 1);
  return slash == 0 || slash > kPrefix.bytes || slash + 1 == name.size() ? std::string_view::npos : slash;
}

/// The record "LENGTH key=value\n". LENGTH includes its own digits.
std::string pax_record(std::string_view key, std::string_view value) {
  const std::size_t bare = key.size() + value.size() + 3;
  std::size_t length = bare + 1;
  while (bare + fmt::formatted_size("{}", length) != length) ++length;
  return fmt::format("{} {}={}\n", length, key, value);
}

}  // namespace

std::optional<TarHeader> read_header(TarBlock block) {
  if (!checksum_fits(block)) return std::nullopt;
  TarHeader header;
  const std::string_view magic = view(block, kMagic);
  const bool posix = magic.starts_with(std::string_view("ustar\0", 6));
  header.has_magic = posix || magic.starts_with("ustar ");
  header.name = text(block, kName);
  header.name_is_full = header.name.size() == kName.bytes;
  header.link_target = text(block, kLinkTarget);
  header.size = number(view(block, kSize));
  if (header.size && *header.size > kTarMaxBytes) header.size.reset();
  header.sparse_map_continues = view(block, kSparseContinues).front() != '\0';
  // GNU's own format uses the bytes of the prefix for other things.
  if (std::string prefix = posix ? text(block, kPrefix) : std::string{}; !prefix.empty()) {
    header.name = prefix + "/" + header.name;
  }
  header.type = plain_type(view(block, kType).front(), header.name);
  return header;
}

bool is_zero(std::span<const std::byte> bytes) {
  // If the first byte is zero and every byte equals the next, all are zero. memcmp is faster than any loop of
  // ours.
  return bytes.empty() ||
         (bytes[0] == std::byte{0} && std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0);
}

void append_header(Bytes& out, std::string_view name, std::uint64_t size) {
  std::string_view prefix;
  std::string_view rest = name;
  std::string pax;
  if (name.size() > kName.bytes) {
    if (const std::size_t slash = prefix_slash(name); slash != std::string_view::npos) {
      prefix = name.substr(0, slash);
      rest = name.substr(slash + 1);
    } else {
      pax += pax_record("path", name);
    }
  }
  if (size > kMaxOctalSize) pax += pax_record("size", fmt::format("{}", size));
  if (!pax.empty()) {
    append_block(out, {}, "PaxHeader", pax.size(), 'x');
    append(out, pax);
    append_padding(out, pax.size());
  }
  append_block(out, prefix, rest, size > kMaxOctalSize ? 0 : size, '0');
}

void append_padding(Bytes& out, std::uint64_t size) {
  out.resize(out.size() + padding_bytes(size));
}

void append_end(Bytes& out) {
  out.resize(out.size() + kTarEndBytes);
}

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
  if (zeros % kTarBlockBytes != 0) {
    return ShardFinding{
        ShardProblem::zeros_after_end,
        {},
        *offset_,
        zeros,
        fmt::format(
            "the {} zero bytes at its end are no multiple of {}: bytes are missing, in its members or "
            "at its end",
            zeros, kTarBlockBytes)};
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
