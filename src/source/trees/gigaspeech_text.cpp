#include "source/trees/gigaspeech_text.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace shardmill::source {

namespace {

constexpr std::array<std::string_view, 4> kPunctuation{"<COMMA>", "<PERIOD>", "<QUESTIONMARK>",
                                                       "<EXCLAMATIONPOINT>"};
constexpr std::array<std::string_view, 4> kNoSpeech{"<SIL>", "<MUSIC>", "<NOISE>", "<OTHER>"};

std::string without_punctuation(std::string_view text) {
  std::string kept;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word.empty() || std::find(kPunctuation.begin(), kPunctuation.end(), word) != kPunctuation.end())
      continue;
    kept.append(kept.empty() ? "" : " ").append(word);
  }
  return kept;
}

}  // namespace

std::optional<std::string> gigaspeech_text(std::string_view text_tn, bool keeps_tags) {
  if (std::any_of(kNoSpeech.begin(), kNoSpeech.end(),
                  [&](std::string_view tag) { return text_tn.find(tag) != text_tn.npos; }))
    return std::nullopt;
  return keeps_tags ? std::string(text_tn) : without_punctuation(text_tn);
}

std::string_view gigaspeech_subsets(std::string_view part) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kSubsets{{{"xs", "XL L M S XS"},
                                                                                   {"s", "XL L M S"},
                                                                                   {"m", "XL L M"},
                                                                                   {"l", "XL L"},
                                                                                   {"xl", "XL"},
                                                                                   {"dev", "DEV"},
                                                                                   {"test", "TEST"}}};
  for (const auto& [name, subsets] : kSubsets) {
    if (name == part) return subsets;
  }
  return part;
}

}  // namespace shardmill::source
