#include "source/labels/time_likeness.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/text/json_reader.hpp"
#include "base/text/letters.hpp"

namespace shardmill::source {

namespace {

using Names = std::span<const std::string_view>;

/// The words of "segmentStart_tick".
std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words(1);
  bool was_small = false;
  for (const char c : name) {
    const bool is_large = c >= 'A' && c <= 'Z';
    if ((is_large && was_small) || !is_letter_or_digit(c)) words.emplace_back();
    if (is_letter_or_digit(c)) words.back() += base::lower(c);
    was_small = !is_large;
  }
  std::erase(words, "");
  return words;
}

bool holds(Names names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// "[0.5, 2]", which may be a begin and an end; other lists are no time of the row.
bool is_pair_of_numbers(const std::string& json) {
  return json.starts_with('[') && std::count(json.begin(), json.end(), ',') == 1 &&
         json.find_first_not_of("0123456789.-+eE, ", 1) == json.size() - 1;
}

using NamePair = std::pair<std::string_view, std::string_view>;
/// Names that together are a begin and an end, while each alone may be anything.
constexpr std::array<NamePair, 23> kPairs{
    {{"t0", "t1"},        {"t1", "t2"},      {"ts", "te"},       {"bt", "et"},      {"st", "et"},
     {"st", "ed"},        {"st", "en"},      {"bgn", "ed"},      {"b", "e"},        {"s", "e"},
     {"in", "out"},       {"on", "off"},     {"first", "last"},  {"from", "until"}, {"von", "bis"},
     {"ini", "fin"},      {"inicio", "fin"}, {"inizio", "fine"}, {"debut", "fin"},  {"début", "fin"},
     {"начало", "конец"}, {"from", "to"},    {"起点", "终点"}}};

/// Without a unit, which may be the last word or the only one.
std::vector<std::string> words_without_unit(std::string_view name) {
  std::vector<std::string> words = words_of(name);
  if (words.size() > 1 && is_unit_of_time(words.back())) words.pop_back();
  return words;
}

/// True for a begin before an end, under such names behind the same words: "cue_in" and "cue_out".
bool are_a_pair(const TableField& begin, const TableField& end) {
  const auto from = number_in(begin);
  const auto to = number_in(end);
  if (!from || !to || *from < 0 || *from >= *to) return false;
  std::vector<std::string> of_begin = words_without_unit(begin.first);
  std::vector<std::string> of_end = words_without_unit(end.first);
  if (of_begin.empty() || of_begin.size() != of_end.size()) return false;
  const NamePair names{of_begin.back(), of_end.back()};
  const bool are_known = std::ranges::find(kPairs, names) != kPairs.end();
  of_begin.pop_back();
  of_end.pop_back();
  return are_known && of_begin == of_end;
}

constexpr std::array<std::string_view, 9> kTimes{"time",     "times", "timestamp", "timestamps", "interval",
                                                 "timespan", "span",  "timerange", "range"};

/// "0.5-1.5", also with other marks between the two numbers.
bool is_range(const std::string& json) {
  const std::string text = field_text(json);
  constexpr std::string_view kOfNumbers = "0123456789.";
  const std::size_t first = text.find_first_not_of(kOfNumbers);
  const std::size_t second = first == text.npos ? first : text.find_first_of(kOfNumbers, first);
  return first != 0 && second != text.npos && text.find_first_not_of(kOfNumbers, second) == text.npos &&
         text.find_first_not_of(" -~,>", first) == second;
}

/// Whether an object, or two numbers, under this name may be a stretch.
bool is_name_of_stretch(std::string_view column) {
  constexpr std::array<std::string_view, 13> kStretches{
      "segment",    "seg",    "clip",   "region", "cut",  "timing", "boundary",
      "boundaries", "bounds", "window", "trim",   "crop", "value"};
  const std::string name = letters_of(column);
  return holds(kTimes, name) || holds(kStretches, name);
}

}  // namespace

std::vector<const TableField*> halves_of_pairs(const std::vector<TableField>& fields) {
  std::vector<const TableField*> likely;
  for (const TableField& field : fields) {
    const std::vector<std::string> words = words_without_unit(field.first);
    const auto has_word = [&](const NamePair& pair) {
      return words.back() == pair.first || words.back() == pair.second;
    };
    if (!words.empty() && std::ranges::any_of(kPairs, has_word)) likely.push_back(&field);
  }
  std::vector<const TableField*> halves;
  for (const TableField* const field : likely) {
    if (std::ranges::any_of(likely, [&](const TableField* other) {
          return are_a_pair(*field, *other) || are_a_pair(*other, *field);
        }))
      halves.push_back(field);
  }
  return halves;
}

bool holds_times(const TableField& field) {
  if (!field.second.starts_with('{') || !is_name_of_stretch(field.first)) return false;
  std::set<TimeRole> roles;
  base::JsonParser parser;
  for (const auto& [name, value] : parser.parse(field.second).members()) {
    const TableField member{std::string(name), value.line()};
    if (number_in(member)) roles.insert(meaning_of(member.first).role);
  }
  return roles.contains(TimeRole::begin) &&
         (roles.contains(TimeRole::end) || roles.contains(TimeRole::length));
}

TimeRole likeness_of(const TableField& field) {
  constexpr std::array<std::string_view, 27> kOther{
      "char",   "chars", "word",        "words", "token",      "tokens", "line", "lines", "page",
      "date",   "year",  "birth",       "tar",   "gain",       "noise",  "dc",   "db",    "snr",
      "energy", "prob",  "probability", "score", "confidence", "pitch",  "f0",   "is",    "has"};
  const std::vector<std::string> words = words_of(field.first);
  const bool is_list =
      is_pair_of_numbers(field.second) || (holds(kTimes, letters_of(field.first)) && is_range(field.second));
  const auto number = number_in(field);
  // Seconds since 1970 say when something was recorded.
  constexpr double kDate = 1e9;
  if ((!is_list && !number) || words.empty() || (number && *number >= kDate)) return TimeRole::none;
  if (std::any_of(words.begin(), words.end(), [&](const std::string& word) { return holds(kOther, word); }))
    return TimeRole::none;
  for (const std::string& word : words) {
    for (const std::string_view sign : {"start", "begin", "onset", "offset"}) {
      if (word.find(sign) != word.npos) return TimeRole::begin;
    }
    if (word.starts_with("end") || word.starts_with("stop") || word.starts_with("finish"))
      return TimeRole::end;
  }
  const std::string name = letters_of(field.first);
  if (words.back() == "to") return TimeRole::end;
  constexpr std::array<std::string_view, 6> kLike{"duration", "dur", "length", "len", "seconds", "secs"};
  if (std::any_of(words.begin(), words.end(), [&](const std::string& word) { return holds(kLike, word); }))
    return TimeRole::length;
  const bool may_begin =
      name == "ts" || words.back() == "from" || holds(kTimes, name) || (is_list && is_name_of_stretch(name));
  return may_begin ? TimeRole::begin : TimeRole::none;
}

}  // namespace shardmill::source
