#include "manifest/parity_header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/io/file.hpp"
#include "base/text/json_reader.hpp"
#include "base/text/json_writer.hpp"
#include "base/text/units.hpp"
#include "manifest/dataset_record.hpp"
#include "manifest/json_fields.hpp"
#include "manifest/layout.hpp"

namespace shardmill::manifest {

namespace {

constexpr std::string_view kMagic = "shardmill parity ";
constexpr std::uint64_t kVersion = 1;
constexpr std::size_t kMostHeaderBytes = std::size_t{1} << 20;
constexpr std::uint64_t kMostFiles = 128;
constexpr std::uint64_t kMostParityFiles = 16;

bool is_group_name(std::string_view name) {
  constexpr std::size_t kMostBytes = 64;
  return !name.empty() && name.size() <= kMostBytes && std::all_of(name.begin(), name.end(), [](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9') || letter == '_';
  });
}

std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) throw Error("is no parity file: its header has no end");
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end + 1);
  return line;
}

void check_first_line(std::string_view line) {
  if (!line.starts_with(kMagic)) throw Error("is no parity file: it does not begin like one");
  const auto version = base::number_in<std::uint64_t>(line.substr(kMagic.size()));
  if (!version) throw Error("is no parity file: it has no version");
  if (*version > kVersion) {
    throw NewerFormat(fmt::format("was written by a newer shardmill: it has version {}, and this program "
                                  "knows versions up to {}",
                                  *version, kVersion),
                      {}, "use a newer shardmill");
  }
  if (*version != kVersion) throw Error(fmt::format("is no parity file: there is no version {}", *version));
}

FoundParityHeader read_header_fields(const base::JsonValue& json) {
  FoundParityHeader found;
  ParityGroup& group = found.group;
  group.name = json["group"].text();
  if (!is_group_name(group.name)) throw Error("the name of its group is not valid");
  group.parity_files = static_cast<std::uint32_t>(json["parity_files"].unsigned_integer(kMostParityFiles));
  found.parity = static_cast<std::uint32_t>(json["parity"].unsigned_integer(kMostParityFiles));
  if (found.parity >= group.parity_files) throw Error("its number is beyond that of its group's files");
  std::set<std::string> seen;
  for (const base::JsonValue& file : json["files"].elements()) {
    group.files.push_back({.path = std::string(file["path"].text()),
                           .bytes = file["bytes"].unsigned_integer(std::uint64_t{1} << 60),
                           .sha256 = sha256_field(file, "sha256")});
    check_inner_path(group.files.back().path);
    if (!seen.insert(group.files.back().path).second) throw Error("names a file twice");
  }
  if (group.files.empty() || group.files.size() > kMostFiles)
    throw Error(fmt::format("protects {} files, and a group has 1 to {}", group.files.size(), kMostFiles));
  return found;
}

}  // namespace

std::uint64_t ParityGroup::payload_bytes() const {
  std::uint64_t most = 0;
  for (const File& file : files) most = std::max(most, file.bytes);
  return most;
}

std::string parity_file_name(std::string_view group, std::uint32_t parity) {
  return fmt::format("{}/{}.p{:02}", kParityFolder, group, parity);
}

bool is_parity_file_name(std::string_view inner_path) {
  const std::string folder = std::string(kParityFolder) + "/";
  const std::size_t dot = inner_path.rfind(".p");
  if (!inner_path.starts_with(folder) || dot == std::string_view::npos || dot < folder.size()) return false;
  const std::string_view digits = inner_path.substr(dot + 2);
  return digits.size() == 2 && digits.find_first_not_of("0123456789") == std::string_view::npos &&
         is_group_name(inner_path.substr(folder.size(), dot - folder.size()));
}

std::string parity_header(const ParityGroup& group, std::uint32_t parity) {
  std::string text = fmt::format("{}{}\n", kMagic, kVersion);
  base::JsonWriter json(text);
  json.begin_object().member("group", group.name).member("parity", parity);
  json.member("parity_files", group.parity_files).key("files").begin_array();
  for (const ParityGroup::File& file : group.files) {
    json.begin_object().member("path", file.path).member("bytes", file.bytes);
    json.member("sha256", file.sha256).end_object();
  }
  json.end_array().end_object();
  return text + '\n';
}

FoundParityHeader parity_header_in(std::string_view text) {
  std::string_view rest = text;
  check_first_line(take_line(rest));
  base::JsonParser parser;
  FoundParityHeader found = read_header_fields(parser.parse(take_line(rest)));
  found.bytes = text.size() - rest.size();
  if (parity_header(found.group, found.parity) != text.substr(0, found.bytes))
    throw Error("its header is not as shardmill writes it");
  return found;
}

FoundParityHeader read_parity_header(const std::string& path) {
  try {
    const base::File file = base::File::open_read(path);
    std::string text(kMostHeaderBytes, '\0');
    text.resize(file.read_at(std::as_writable_bytes(std::span(text)), 0));
    FoundParityHeader found = parity_header_in(text);
    const std::uint64_t wanted = found.bytes + found.group.payload_bytes() + kParitySealBytes;
    if (file.size() != wanted)
      throw Error(fmt::format("has {} bytes, and its header asks for {}", file.size(), wanted));
    return found;
  } catch (const NewerFormat& error) {
    throw NewerFormat(error.problem(), at(path), error.advice());
  } catch (const Error& error) {
    throw error.within(at(path));
  }
}

}  // namespace shardmill::manifest
