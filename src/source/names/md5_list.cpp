#include "source/names/md5_list.hpp"

#include <algorithm>
#include <filesystem>

#include "base/error.hpp"
#include "base/io/folder.hpp"
#include "base/io/line_reader.hpp"
#include "base/text/letters.hpp"

namespace shardmill::source {

namespace {

/// Lines like "HEX  NAME" or "HEX *NAME"; ARCHIVE.md5 may hold the digits alone.
std::string look_up(const std::string& list, std::string_view name) {
  if (!base::exists(list) || base::is_folder(list)) return {};
  constexpr std::size_t kDigits = 32;
  base::LineReader lines(list);
  for (std::string_view line; lines.next(line);) {
    while (line.ends_with('\r') || line.ends_with(' ')) line.remove_suffix(1);
    if (line.size() < kDigits || !is_md5(line.substr(0, kDigits))) continue;
    std::string_view named = line.substr(kDigits);
    named.remove_prefix(std::min(named.find_first_not_of(" \t*"), named.size()));
    if (named.starts_with("./")) named.remove_prefix(2);
    if (named == name || (named.empty() && list.ends_with(".md5")))
      return base::lower(line.substr(0, kDigits));
  }
  return {};
}

}  // namespace

bool is_md5(std::string_view text) {
  return text.size() == 32 && text.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
}

std::string md5_beside(const std::string& archive) {
  const std::filesystem::path path(archive);
  const std::string name = path.filename().string();
  std::string found = look_up(archive + ".md5", name);
  return found.empty() ? look_up((path.parent_path() / "md5sum.txt").string(), name) : found;
}

}  // namespace shardmill::source
