#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/io/folder.hpp"
#include "base/io/line_reader.hpp"
#include "base/io/volumes.hpp"
#include "base/text/letters.hpp"
#include "source/set/given_files.hpp"

namespace shardmill::source {

namespace {

std::string_view without_place(std::string_view name) {
  if (name.starts_with("./")) name.remove_prefix(2);
  // Of an absolute path, which may be that of another machine, only the name counts.
  if (name.starts_with('/')) name.remove_prefix(name.rfind('/') + 1);
  return name;
}

/// "x.tgz" and the digits of "MD5 (x.tgz) = HEX", as BSD and macOS write it.
std::optional<std::pair<std::string_view, std::string_view>> bsd_line(std::string_view line) {
  constexpr std::string_view kBegin = "MD5 (";
  constexpr std::string_view kMiddle = ") = ";
  const std::size_t middle = line.rfind(kMiddle);
  if (!line.starts_with(kBegin) || middle == line.npos || middle < kBegin.size()) return std::nullopt;
  const std::string_view digits = line.substr(middle + kMiddle.size());
  if (!is_md5(digits)) return std::nullopt;
  return std::pair(line.substr(kBegin.size(), middle - kBegin.size()), digits);
}

/// Lines like "HEX  NAME", "HEX *NAME" or "MD5 (NAME) = HEX"; ARCHIVE.md5 may hold the digits alone. The sum
/// in such a line, where it is that of `name`.
std::optional<std::string> sum_in(std::string_view line, std::string_view name, bool is_of_one) {
  constexpr std::size_t kMd5Digits = 32;
  while (line.ends_with('\r') || line.ends_with(' ')) line.remove_suffix(1);
  if (const auto bsd = bsd_line(line); bsd && without_place(bsd->first) == name)
    return base::lower(bsd->second);
  if (line.size() < kMd5Digits || !is_md5(line.substr(0, kMd5Digits))) return std::nullopt;
  std::string_view named = line.substr(kMd5Digits);
  named.remove_prefix(std::min(named.find_first_not_of(" \t*"), named.size()));
  named = without_place(named);
  if (named != name && !(named.empty() && is_of_one)) return std::nullopt;
  return base::lower(line.substr(0, kMd5Digits));
}

/// The MD5 that a list gives a file, and where it stands.
struct Sum {
  std::string digits;
  std::string list;
  std::uint64_t line = 0;
};

/// Throws Error where the list gives it another one than `sum`, which is empty or from a list before.
void look_up(const std::string& list, std::string_view name, Sum& sum) {
  if (!base::exists(list) || base::is_folder(list)) return;
  base::LineReader lines(list);
  for (std::string_view line; lines.next(line);) {
    const auto digits = sum_in(line, name, list.ends_with(".md5"));
    if (!digits || sum.digits == *digits) continue;
    if (!sum.digits.empty()) {
      const std::string other = sum.list == list ? fmt::format("line {}", sum.line)
                                                 : fmt::format("{}, line {},", printable(sum.list), sum.line);
      throw Error(fmt::format("line {}: gives {} the MD5 {}, and {} gives it {}", lines.line_number(),
                              printable(name), *digits, other, sum.digits),
                  at(list), "take the wrong line out");
    }
    sum = {.digits = *digits, .list = list, .line = lines.line_number()};
  }
}

/// That of its own name first.
std::vector<std::string> lists_beside(const std::string& archive) {
  const std::filesystem::path folder = std::filesystem::path(archive).parent_path();
  std::vector<std::string> lists{archive + ".md5"};
  for (const std::string_view name : {"md5sum.txt", "md5sums.txt", "MD5SUMS"})
    lists.push_back((folder / name).string());
  return lists;
}

bool has_line_with_md5(const std::string& list) {
  base::LineReader lines(list);
  for (std::string_view line; lines.next(line);) {
    while (line.ends_with('\r') || line.ends_with(' ')) line.remove_suffix(1);
    const bool begins_with_one =
        line.size() >= 32 && is_md5(line.substr(0, 32)) &&
        (line.size() == 32 || line[32] == ' ' || line[32] == '\t' || line[32] == '*');
    if (begins_with_one || bsd_line(line)) return true;
  }
  return false;
}

}  // namespace

bool is_md5(std::string_view text) {
  return text.size() == 32 && text.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
}

std::string md5_beside(const std::string& archive) {
  const std::filesystem::path path(archive);
  const std::string name = path.filename().string();
  Sum sum;
  const auto volume = base::volume_name(name);
  if (!volume || base::volumes_of(archive).empty()) {
    for (const std::string& list : lists_beside(archive)) look_up(list, name, sum);
    return sum.digits;
  }
  // VoxCeleb gives the MD5 of vox1_dev_wav.zip, whose parts are called vox1_dev_wav_partaa.
  for (const std::string_view ending : {"", ".zip"}) {
    const std::string whole = std::string(volume->whole) + std::string(ending);
    for (const std::string& list : lists_beside((path.parent_path() / whole).string()))
      look_up(list, whole, sum);
  }
  return sum.digits;
}

std::vector<std::string> volume_md5s_beside(const std::string& archive) {
  std::vector<std::string> md5s;
  for (const std::string& volume : base::volumes_of(archive)) {
    Sum sum;
    const std::string name = std::filesystem::path(volume).filename().string();
    for (const std::string& list : lists_beside(volume)) look_up(list, name, sum);
    md5s.push_back(sum.digits);
  }
  const bool has_none = std::all_of(md5s.begin(), md5s.end(), [](const auto& md5) { return md5.empty(); });
  return has_none ? std::vector<std::string>() : md5s;
}

std::vector<std::string> lists_without_md5(const std::string& archive) {
  std::vector<std::string> lists = lists_beside(archive);
  std::erase_if(lists, [](const std::string& list) {
    return !base::exists(list) || base::is_folder(list) || has_line_with_md5(list);
  });
  return lists;
}

std::vector<std::string> md5_lists_beside(const std::string& archive) {
  std::vector<std::string> lists = lists_beside(archive);
  const std::filesystem::path path(archive);
  const std::string name = path.filename().string();
  // Of a file that was cut, the list may have the name of the whole.
  if (const auto volume = base::volume_name(name))
    lists.push_back((path.parent_path() / volume->whole).string() + ".md5");
  return lists;
}

bool holds_md5(const std::string& list) {
  return base::exists(list) && !base::is_folder(list) && has_line_with_md5(list);
}

}  // namespace shardmill::source
