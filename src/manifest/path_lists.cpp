#include "manifest/path_lists.hpp"

#include <fmt/format.h>

#include <functional>

#include "base/error.hpp"
#include "base/io/line_reader.hpp"
#include "manifest/json_fields.hpp"
#include "manifest/layout.hpp"

namespace shardmill::manifest {

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
