#include "source/names/paths.hpp"

#include <filesystem>
#include <string_view>

#include "base/error.hpp"
#include "base/io/folder.hpp"
#include "base/remote/object.hpp"
#include "base/remote/url.hpp"
#include "base/text/json_reader.hpp"
#include "base/text/letters.hpp"

namespace shardmill::source {

std::string normal_path(const std::string& path) {
  return base::without_end_slashes(base::absolute(path));
}

namespace {

/// Throws Error, with the line, for JSON that cannot be parsed.
void check_json(std::string_view json, const base::LineReader& lines) {
  try {
    base::JsonParser().parse(json);
  } catch (const Error& error) {
    throw lines.here(error);
  }
}

}  // namespace

std::vector<ListedPath> read_path_list(base::LineReader& lines) {
  std::vector<ListedPath> paths;
  for (std::string_view line; lines.next(line);) {
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    while (line.starts_with(kByteOrderMark)) line.remove_prefix(kByteOrderMark.size());
    const std::string_view path = base::trimmed(line);
    if (path.empty() || path.front() == '#') continue;
    if (path.front() == '{') {
      check_json(path, lines);
      throw lines.here(
          Error("is JSON, not a path", {},
                "lists of raw audio have key and wav (WeNet) or audio_filepath (NeMo) in each line"));
    }
    if (printable(path) != path) throw lines.here(Error("holds control characters: no path"));
    paths.push_back({std::string(path), lines.line_number()});
  }
  return paths;
}

std::string resolve_listed(const std::string& list, const std::string& path) {
  if (base::is_remote(path)) return base::known_address(path);
  if (base::is_remote(list)) return list.substr(0, list.rfind('/') + 1) + path;
  const std::filesystem::path beside =
      std::filesystem::path(list).parent_path() / path;  // `path` if absolute
  std::error_code failure;
  return std::filesystem::exists(beside, failure) ? beside.string() : path;
}

}  // namespace shardmill::source
