#include "source/texts/yodas_place.hpp"

#include "base/text/letters.hpp"
#include "source/texts/tree_table.hpp"

namespace shardmill::source {

namespace {

constexpr std::size_t kDigits = 3;

/// "en" of "en000"; empty for another folder.
std::string_view language_in(std::string_view folder) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz-";
  const std::size_t end = folder.find_first_not_of(kLetters);
  if (end == folder.npos || end < 2 || folder.size() != end + kDigits) return {};
  return folder.find_first_not_of("0123456789", end) == folder.npos ? folder.substr(0, end)
                                                                    : std::string_view();
}

}  // namespace

YodasPlace::YodasPlace(std::string_view path) {
  for (std::size_t level = 1;; ++level) {
    const std::string_view part = path_part(path, level);
    if (part.empty()) return;
    if (level < 2 || language_in(part).empty()) continue;
    folder = part;
    kind = path_part(path, level - 1);
    name = path_part(path, level - 2);
    name.resize(std::min(name.find('.'), name.size()));
    return;
  }
}

void YodasPlace::tell(Facts& facts) const {
  if (folder.empty()) return;
  facts.language(language_in(folder));
  facts.text("captions", folder[folder.size() - kDigits] == '0' ? "manual" : "automatic");
}

}  // namespace shardmill::source
