#include "source/file_name.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/io/folder.hpp"
#include "base/io/volumes.hpp"
#include "base/remote/object.hpp"
#include "base/remote/url.hpp"
#include "base/text/json_reader.hpp"
#include "base/text/letters.hpp"
#include "shard/keys.hpp"

namespace shardmill::source {

namespace {

constexpr std::array<std::string_view, 11> kTarSuffixes{".tar",  ".parquet", ".tgz", ".taz",  ".tbz", ".tb2",
                                                        ".tbz2", ".txz",     ".tlz", ".tzst", ".tlz4"};
constexpr std::array<std::string_view, 16> kCompressionSuffixes{
    ".bz2",  ".bz",  ".gz",   ".gzip", ".bgz", ".bgzf", ".xz", ".zst",
    ".zstd", ".lz4", ".lzma", ".lz",   ".lzo", ".z",    ".br", ".sz"};

/// The capitals of `name` do not matter; `suffix` has none.
bool ends_with(std::string_view name, std::string_view suffix) {
  return name.size() >= suffix.size() &&
         std::equal(suffix.begin(), suffix.end(), name.end() - static_cast<std::ptrdiff_t>(suffix.size()),
                    [](char wanted, char c) { return base::lower(c) == wanted; });
}

std::string_view last_of(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

template <typename Suffixes>
std::string_view suffix_among(const Suffixes& suffixes, std::string_view name) {
  const auto found =
      std::ranges::find_if(suffixes, [&](std::string_view suffix) { return ends_with(name, suffix); });
  return found == suffixes.end() ? std::string_view() : *found;
}

}  // namespace

AudioName audio_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  if (slash != std::string_view::npos) path.remove_prefix(slash + 1);
  const std::size_t dot = path.rfind('.');
  if (dot == std::string_view::npos || dot == 0) return {.stem = path, .extension = {}};
  return {.stem = path.substr(0, dot), .extension = path.substr(dot + 1)};
}

std::string_view without_extension(std::string_view path) {
  const AudioName name = audio_name(path);
  if (!name.extension.empty()) path.remove_suffix(name.extension.size() + 1);
  return path;
}

std::string stem_of_table(std::string_view path) {
  if (has_extension(path, "gz")) path = without_extension(path);
  return std::string(audio_name(path).stem);
}

bool is_audio_name(std::string_view path) {
  return shard::is_audio_extension(base::lower(audio_name(path).extension));
}

bool is_headerless_name(std::string_view path) {
  return has_extension(path, "pcm");
}

bool has_extension(std::string_view path, std::string_view extension) {
  return base::lower(audio_name(path).extension) == extension;
}

std::string_view without_shard_suffix(std::string_view file_name) {
  const auto volume = base::volume_name(last_of(file_name));
  if (volume) {
    const std::string_view whole =
        file_name.substr(0, file_name.size() - last_of(file_name).size() + volume->whole.size());
    const std::string_view stem = without_shard_suffix(whole);
    return stem.size() < whole.size() ? stem : file_name;
  }
  std::string_view stem = file_name;
  stem.remove_suffix(suffix_among(kCompressionSuffixes, file_name).size());
  const bool is_compressed = stem.size() < file_name.size();
  const std::string_view tar = is_compressed ? std::string_view(".tar") : suffix_among(kTarSuffixes, stem);
  if (tar.empty() || !ends_with(stem, tar)) return file_name;
  stem.remove_suffix(tar.size());
  return stem;
}

std::string_view without_archive_suffix(std::string_view path) {
  const std::string_view stem = without_shard_suffix(path);
  if (stem.size() < path.size()) return stem;
  if (const auto volume = base::volume_name(last_of(path)))
    path.remove_suffix(last_of(path).size() - volume->whole.size());
  for (const std::string_view suffix : {".zip", ".7z"}) {
    if (ends_with(path, suffix)) path.remove_suffix(suffix.size());
  }
  return path;
}

bool has_shard_name(std::string_view file_name) {
  return without_shard_suffix(file_name).size() < file_name.size();
}

bool is_archive_name(std::string_view file_name) {
  return (has_shard_name(file_name) && !ends_with(file_name, ".parquet")) || ends_with(file_name, ".zip") ||
         ends_with(file_name, ".7z");
}

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
