#include "manifest/layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>

#include "base/error.hpp"
#include "base/io/line_reader.hpp"
#include "manifest/json_fields.hpp"

namespace shardmill::manifest {

void check_prefix(std::string_view prefix) {
  const auto is_tame = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  };
  if (prefix.empty() || prefix.front() == '-' || !std::all_of(prefix.begin(), prefix.end(), is_tame)) {
    throw UsageError(fmt::format("the prefix '{}' cannot be the beginning of file names", printable(prefix)),
                     {}, "use letters, digits, _ and -");
  }
  // Indexes and files that are not finished yet have longer names than shards.
  constexpr std::size_t kLongest = 200;
  if (prefix.size() > kLongest)
    throw UsageError(
        fmt::format("the prefix has {} characters, too many for the names of files", prefix.size()), {},
        fmt::format("use at most {}", kLongest));
}

std::string shard_file_name(std::string_view prefix, std::uint64_t shard_id, std::string_view codec_suffix) {
  return fmt::format("{}_{:09}.tar{}", prefix, shard_id, codec_suffix);
}

std::string manifest_file_name(std::uint64_t shard_id) {
  return fmt::format("manifest_{:09}.json", shard_id);
}

std::string shard_file_pattern(std::string_view prefix, std::uint64_t shards, std::string_view codec_suffix) {
  if (shards == 1) return shard_file_name(prefix, 0, codec_suffix);
  return fmt::format("{}_{{{:09}..{:09}}}.tar{}", prefix, 0, shards - 1, codec_suffix);
}

std::string shard_path(std::string_view prefix, std::uint64_t shard_id, std::string_view codec_suffix) {
  return fmt::format("{}/{}", kShardFolder, shard_file_name(prefix, shard_id, codec_suffix));
}

std::string manifest_path(std::uint64_t shard_id) {
  return fmt::format("{}/{}", kManifestFolder, manifest_file_name(shard_id));
}

std::string shard_path_pattern(std::string_view prefix, std::uint64_t shards, std::string_view codec_suffix) {
  return fmt::format("{}/{}", kShardFolder, shard_file_pattern(prefix, shards, codec_suffix));
}

bool is_below(std::string_view path, std::string_view folder) {
  return path.size() > folder.size() && path.starts_with(folder) && path[folder.size()] == '/';
}

void check_inner_path(std::string_view path) {
  const std::filesystem::path parts(path);
  const bool leads_out = std::find(parts.begin(), parts.end(), "..") != parts.end();
  if (path.empty() || parts.is_absolute() || leads_out || printable(path) != path) {
    throw Error(fmt::format("'{}' is not a path inside the dataset's folder", printable(path)));
  }
}

namespace {

constexpr std::size_t kHexDigits = 64;
constexpr std::string_view kBetween =
    "  ";  // sha256sum's mark for a file read in text mode, which does not matter on Linux

void for_each_line(const std::string& path, const std::function<void(std::string_view)>& use) {
  base::LineReader lines(path);
  for (std::string_view line; lines.next(line);) {
    try {
      if (!lines.line_was_ended()) throw Error("has no end: the file was cut");
      use(line);
    } catch (const Error& error) {
      throw lines.here(error);
    }
  }
}

Checksum checksum_of(std::string_view line) {
  if (line.size() <= kHexDigits + kBetween.size() || !is_sha256(line.substr(0, kHexDigits)) ||
      line.substr(kHexDigits, kBetween.size()) != kBetween) {
    throw Error("is not a checksum, two blanks and a path");
  }
  const std::string_view path = line.substr(kHexDigits + kBetween.size());
  check_inner_path(path);
  return {std::string(line.substr(0, kHexDigits)), std::string(path)};
}

}  // namespace

void check_list_root(std::string_view root) {
  if (printable(root) == root) return;
  throw UsageError("a list of paths cannot hold control characters", at(std::string(root)),
                   "use another folder name", Remedy::list_root);
}

std::string listed_path(std::string_view root, std::string_view inner_path) {
  return fmt::format("{}{}{}", root, root.ends_with('/') ? "" : "/", inner_path);
}

void append_list_line(std::string& out, std::string_view root, std::string_view inner_path) {
  check_inner_path(inner_path);
  check_list_root(root);
  out += listed_path(root, inner_path);
  out += '\n';
}

std::vector<std::string> read_list(const std::string& path) {
  std::vector<std::string> paths;
  for_each_line(path, [&](std::string_view line) {
    if (line.empty()) throw Error("is empty");
    paths.emplace_back(line);
  });
  return paths;
}

void append_line(std::string& out, const Checksum& checksum) {
  check_inner_path(checksum.path);
  if (checksum.path.find('\\') != std::string::npos) throw Error("has a backslash", at(checksum.path));
  out += checksum.sha256;
  out += kBetween;
  out += checksum.path;
  out += '\n';
}

std::vector<Checksum> read_checksums(const std::string& path) {
  std::vector<Checksum> checksums;
  for_each_line(path, [&](std::string_view line) { checksums.push_back(checksum_of(line)); });
  return checksums;
}

}  // namespace shardmill::manifest
