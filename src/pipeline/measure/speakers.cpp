#include "pipeline/measure/speakers.hpp"

#include <fmt/format.h>
#include <regex.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/error.hpp"
#include "base/text/json_reader.hpp"
#include "base/text/letters.hpp"
#include "shard/sample_text.hpp"
#include "shard/tar_input.hpp"

namespace shardmill::pipeline {

struct SpeakerPattern::Compiled {
  ::regex_t expression{};

  Compiled() = default;
  Compiled(const Compiled&) = delete;
  Compiled& operator=(const Compiled&) = delete;
  ~Compiled() { ::regfree(&expression); }
};

SpeakerPattern::SpeakerPattern(const std::string& text) : text_(text) {
  if (text.empty()) throw Error("is empty, and no regular expression");
  ::regex_t expression{};
  if (const int failure = ::regcomp(&expression, text.c_str(), REG_EXTENDED); failure != 0) {
    std::array<char, 200> why{};
    ::regerror(failure, &expression, why.data(), why.size());
    throw Error(fmt::format("is not a regular expression: {}", why.data()), {},
                "write one as grep -E takes it, such as '^([^-]+)-'");
  }
  auto compiled = std::make_shared<Compiled>();
  compiled->expression = expression;
  compiled_ = std::move(compiled);
}

std::string SpeakerPattern::find_in(const std::string& name) const {
  std::array<::regmatch_t, 2> places{};
  if (::regexec(&compiled_->expression, name.c_str(), places.size(), places.data(), 0) != 0) return {};
  const ::regmatch_t& place = compiled_->expression.re_nsub > 0 ? places[1] : places[0];
  if (place.rm_so < 0) return {};
  return name.substr(static_cast<std::size_t>(place.rm_so),
                     static_cast<std::size_t>(place.rm_eo - place.rm_so));
}

namespace {

template <typename Value>
const Value* rule_for(const std::map<std::string, Value, std::less<>>& rules, std::string_view dataset) {
  auto found = rules.find(dataset);
  if (found == rules.end()) found = rules.find(std::string_view());
  return found == rules.end() ? nullptr : &found->second;
}

/// A text, or a number as text; empty for anything else.
std::string name_of(const base::JsonValue& value) {
  const std::string line = value.line();
  if (line.starts_with('"')) return std::string(base::trimmed(value.text()));
  const bool is_number =
      !line.empty() && (line.front() == '-' || (line.front() >= '0' && line.front() <= '9'));
  return is_number ? line : std::string();
}

bool is_called(std::string_view name, std::string_view wanted) {
  return name == wanted || shard::column_word(std::string(name)) == wanted;
}

/// The value of the first of `names` that the facts have, as it is written or in small letters.
template <typename Names>
std::string first_of(const std::string& facts, const Names& names) {
  if (facts.empty()) return {};
  base::JsonParser parser;
  const std::string text = fmt::format("{{{}}}", facts);
  const base::JsonValue object = parser.parse(text);
  for (const std::string_view wanted : names) {
    for (const auto& [name, value] : object.members()) {
      if (!is_called(name, wanted)) continue;
      if (std::string found = name_of(value); !found.empty()) return found;
    }
  }
  return {};
}

/// Most facts name none of these, and parsing them takes time.
bool may_name_speaker(const std::string& facts) {
  const std::string lower = shard::column_word(facts);
  for (const std::string_view name : shard::usual_speaker_names()) {
    if (lower.find(fmt::format("\"{}\"", name)) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

FoundSpeaker find_speaker(const SpeakerRules& rules, std::string_view dataset, const std::string& facts,
                          const std::string& key, const std::string& path) {
  const std::string* const field = rule_for(rules.fields, dataset);
  const SpeakerPattern* const pattern = rule_for(rules.patterns, dataset);
  const auto found = [](std::string name) { return FoundSpeaker{.name = std::move(name)}; };
  if (field != nullptr) {
    const std::array<std::string, 2> wanted{*field, shard::column_word(*field)};
    if (std::string name = first_of(facts, wanted); !name.empty()) return found(std::move(name));
  }
  if (may_name_speaker(facts)) {
    const bool is_missing = field != nullptr;
    if (!shard::speaker_in(facts).empty()) return {.is_missing = is_missing};
    if (std::string name = first_of(facts, shard::usual_speaker_names()); !name.empty())
      return {.name = std::move(name), .is_missing = is_missing};
  }
  if (pattern == nullptr) return {.is_missing = field != nullptr};
  std::string name = pattern->find_in(key);
  if (name.empty()) name = pattern->find_in(path);
  const bool is_missing = name.empty();
  return {.name = std::move(name), .is_missing = is_missing};
}

namespace {

/// "^[^_]+_([^_]+)_" for the second part of "a_b_c", `skipped` being 1. Empty where the name has no such part
/// that ends before the end.
std::string pattern_for_part(const std::string& key, std::size_t skipped) {
  const std::size_t name = key.rfind('/') + 1;  // 0 without a folder
  const std::size_t first = key.find_first_of("-_.", name + 1);
  if (first == std::string::npos) return {};
  const char separator = key[first];
  std::size_t end = first;
  for (std::size_t i = 0; i < skipped && end != std::string::npos; ++i) end = key.find(separator, end + 1);
  if (end == std::string::npos || end + 1 == key.size()) return {};
  const std::string part = fmt::format("[^{}{}]+", name == 0 ? "" : "/", separator);
  const std::string between = separator == '.' ? "[.]" : std::string(1, separator);
  std::string pattern = name == 0 ? "^" : "";
  for (std::size_t i = 0; i < skipped; ++i) pattern += part + between;
  return fmt::format("{}({}){}{}", pattern, part, between, name == 0 ? "" : "[^/]*$");
}

/// For the parts of a name, or else for the folder that it is in.
std::vector<std::string> patterns_for(const std::string& key) {
  constexpr std::size_t kMostParts = 3;
  std::vector<std::string> patterns;
  for (std::size_t part = 0; part < kMostParts; ++part) patterns.push_back(pattern_for_part(key, part));
  if (key.find('/') != std::string::npos) patterns.emplace_back("([^/]+)/[^/]*$");
  std::erase(patterns, "");
  return patterns;
}

/// Whether what a pattern finds looks like speakers: neither one for nearly all samples nor one for each.
bool finds_speakers(const SpeakerPattern& pattern, const std::string& key,
                    const std::vector<std::string>& other_keys) {
  constexpr std::size_t kFewKeys = 20;
  if (other_keys.empty()) return true;
  std::map<std::string, std::size_t> samples_of{{pattern.find_in(key), 1}};
  for (const std::string& other : other_keys) ++samples_of[pattern.find_in(other)];
  const auto most = std::ranges::max_element(samples_of, {}, [](const auto& each) { return each.second; });
  if (is_nearly_all(most->second, other_keys.size() + 1)) return false;
  return other_keys.size() < kFewKeys || samples_of.size() <= other_keys.size() / 2;
}

}  // namespace

std::string speaker_advice(std::string_view dataset, const std::string& key,
                           const std::vector<std::string>& other_keys) {
  for (const std::string& pattern : patterns_for(key)) {
    const SpeakerPattern compiled(pattern);
    if (!finds_speakers(compiled, key, other_keys)) continue;
    return fmt::format("{0}\t, for example {0}='{1}', which finds '{2}' in '{3}'", dataset, pattern,
                       printable(compiled.find_in(key)), printable(key));
  }
  return std::string(dataset);
}

}  // namespace shardmill::pipeline
