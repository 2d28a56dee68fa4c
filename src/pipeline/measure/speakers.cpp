#include "pipeline/measure/speakers.hpp"

#include <fmt/format.h>
#include <regex.h>

#include <array>

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

/// The value of the first of `names` that the facts have, in any case of letters.
template <typename Names>
std::string first_of(const std::string& facts, const Names& names) {
  if (facts.empty()) return {};
  base::JsonParser parser;
  const std::string text = fmt::format("{{{}}}", facts);
  const base::JsonValue object = parser.parse(text);
  for (const std::string_view wanted : names) {
    for (const auto& [name, value] : object.members()) {
      if (shard::column_word(name) != wanted) continue;
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
  std::string found;
  if (field != nullptr) {
    const std::array<std::string, 1> wanted{shard::column_word(*field)};
    found = first_of(facts, wanted);
  } else if (may_name_speaker(facts)) {
    if (!shard::speaker_in(facts).empty()) return {};
    found = first_of(facts, shard::usual_speaker_names());
  }
  if (found.empty() && pattern != nullptr) found = pattern->find_in(key);
  if (found.empty() && pattern != nullptr) found = pattern->find_in(path);
  return {.name = found, .is_missing = found.empty() && (field != nullptr || pattern != nullptr)};
}

namespace {

/// For the part of a name in front of its first - or _ or dot, or else for the folder that it is in; empty if
/// there is neither.
std::string pattern_for(const std::string& key) {
  const std::size_t name = key.rfind('/') + 1;  // 0 without a folder
  const std::size_t separator = key.find_first_of("-_.", name + 1);
  if (separator == std::string::npos || separator + 1 == key.size())
    return name == 0 ? std::string() : "([^/]+)/[^/]*$";
  const std::string in_class = fmt::format("{}{}", name == 0 ? "" : "/", key[separator]);
  const std::string between = key[separator] == '.' ? "[.]" : std::string(1, key[separator]);
  return name == 0 ? fmt::format("^([^{}]+){}", in_class, between)
                   : fmt::format("([^{}]+){}[^/]*$", in_class, between);
}

}  // namespace

std::string speaker_advice(std::string_view dataset, const std::string& key,
                           const std::vector<std::string>& other_keys) {
  const std::string pattern = pattern_for(key);
  if (pattern.empty()) return std::string(dataset);
  const SpeakerPattern compiled(pattern);
  const std::string found = compiled.find_in(key);
  const auto finds_same = [&](const std::string& other) { return compiled.find_in(other) == found; };
  if (!other_keys.empty() && std::ranges::all_of(other_keys, finds_same)) return std::string(dataset);
  return fmt::format("{0}\t, for example {0}='{1}', which finds '{2}' in '{3}'", dataset, pattern,
                     printable(found), printable(key));
}

}  // namespace shardmill::pipeline
