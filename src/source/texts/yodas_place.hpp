// YodasPlace: where a file of YODAS or YODAS2 lies, data/en000/KIND/00000000.*.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "source/corpus_builder.hpp"
#include "source/texts/tree_table.hpp"

namespace shardmill::source {

struct YodasPlace {
  std::string folder;     // "en000": captions by hand, "en100": by machine; empty: it lies elsewhere
  std::string_view kind;  // "text", "audio" or "duration"
  std::string name;       // "00000000", also of the files in a folder of this name

  explicit YodasPlace(std::string_view path);

  /// "en000/00000000": what a text is about, and an archive holds.
  std::string part() const { return folder + "/" + name; }
  /// The facts that all samples of `folder` have in common.
  void tell(Facts& facts) const;
};

inline constexpr std::size_t kYodasDigits = 3;

/// "en" of "en000"; empty for another folder.
inline std::string_view language_in_yodas(std::string_view folder) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz-";
  const std::size_t end = folder.find_first_not_of(kLetters);
  if (end == folder.npos || end < 2 || folder.size() != end + kYodasDigits) return {};
  return folder.find_first_not_of("0123456789", end) == folder.npos ? folder.substr(0, end)
                                                                    : std::string_view();
}

inline YodasPlace::YodasPlace(std::string_view path) {
  for (std::size_t level = 1;; ++level) {
    const std::string_view part = path_part(path, level);
    if (part.empty()) return;
    if (level < 2 || language_in_yodas(part).empty()) continue;
    folder = part;
    kind = path_part(path, level - 1);
    name = path_part(path, level - 2);
    name.resize(std::min(name.find('.'), name.size()));
    return;
  }
}

inline void YodasPlace::tell(Facts& facts) const {
  if (folder.empty()) return;
  facts.language(language_in_yodas(folder));
  facts.text("captions", folder[folder.size() - kYodasDigits] == '0' ? "manual" : "automatic");
}

}  // namespace shardmill::source
