#include "source/split.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "base/text/letters.hpp"

namespace shardmill::source {

namespace {

// Whole words: "validated" of Common Voice is not its split for validation.
constexpr std::array<std::string_view, 3> kValidation{"val", "valid", "validation"};

template <typename Names>
bool is_one_of(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Split split_of_one(std::string_view subset) {
  // GigaSpeech and WenetSpeech call parts of their training data by their sizes.
  constexpr std::array<std::string_view, 6> kSizes{"xs", "s", "m", "l", "xl", "w"};
  const std::string text = base::lower(subset);
  if (is_one_of(kSizes, text)) return Split::train;
  // The tests of KsponSpeech, CN-Celeb and Multilingual TEDx. Elsewhere "eval" is for development, as in
  // AliMeeting.
  constexpr std::array<std::string_view, 4> kTests{"eval_clean", "eval_other", "eval/", "iwslt20"};
  if (std::any_of(kTests.begin(), kTests.end(),
                  [&](std::string_view test) { return text.starts_with(test); }))
    return Split::test;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t end = std::min(rest.find('/'), rest.size());
    const std::string_view part = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (part.starts_with("train")) return Split::train;
    if (part.starts_with("test")) return Split::test;
    if (part.starts_with("dev") || part.starts_with("eval") || is_one_of(kValidation, part))
      return Split::dev;
  }
  return Split::other;
}

int rank_of(Split split) {
  switch (split) {
    case Split::train:
      return 0;
    case Split::other:
      return 1;
    case Split::dev:
      return 2;
    case Split::test:
      break;
  }
  return 3;
}

}  // namespace

std::string_view name(Split split) {
  constexpr std::array<std::string_view, 4> kNames{"train", "dev", "test", "other"};
  return kNames[static_cast<std::size_t>(split)];
}

std::vector<std::string_view> subset_names(std::string_view subsets) {
  std::vector<std::string_view> names;
  while (!subsets.empty()) {
    const std::size_t end = std::min(subsets.find(' '), subsets.size());
    if (end > 0) names.push_back(subsets.substr(0, end));
    subsets.remove_prefix(std::min(end + 1, subsets.size()));
  }
  return names;
}

Split split_of(std::string_view subsets) {
  const auto names = subset_names(subsets);
  if (names.empty()) return Split::other;
  Split most = split_of_one(names.front());
  for (const std::string_view each : names) {
    const Split split = split_of_one(each);
    if (rank_of(split) > rank_of(most)) most = split;
  }
  return most;
}

namespace {

/// The text of the member `name` of a manifest line and all after it; nullopt if there is no such member.
std::optional<std::string_view> text_of(std::string_view facts, std::string_view name) {
  // Quotes inside of values are escaped, so this can only be a name and the quote before its value.
  const std::string member = '"' + std::string(name) + "\":\"";
  for (std::size_t at = facts.find(member); at != facts.npos; at = facts.find(member, at + 1)) {
    if (at == 0 || facts[at - 1] == ',') return facts.substr(at + member.size());
  }
  return std::nullopt;
}

}  // namespace

std::string_view subset_in(std::string_view facts) {
  auto text = text_of(facts, "subset");
  if (!text) text = text_of(facts, "split");
  return text ? text->substr(0, std::min(text->find('"'), text->size())) : std::string_view();
}

std::string subset_of_table(std::string_view path) {
  constexpr std::array<std::string_view, 4> kNames{"train", "dev", "eval", "test"};
  constexpr std::string_view kBetween = "-_.";
  const std::string_view file = path.substr(path.rfind('/') + 1);
  const std::string_view stem = file.substr(0, std::min(file.find('.'), file.size()));
  for (std::size_t begin = 0; begin < stem.size();) {
    const std::size_t end = std::min(stem.find_first_of(kBetween, begin), stem.size());
    const std::string word = base::lower(stem.substr(begin, end - begin));
    if (is_one_of(kNames, word) || is_one_of(kValidation, word)) return std::string(stem.substr(begin));
    begin = end + 1;
  }
  return {};
}

bool has_fact(std::string_view facts, std::string_view name) {
  return text_of(facts, name).has_value();
}

}  // namespace shardmill::source
