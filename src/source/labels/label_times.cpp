#include "source/labels/label_times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <span>
#include <string_view>

#include "base/error.hpp"
#include "base/text/json_reader.hpp"
#include "base/text/letters.hpp"
#include "base/text/units.hpp"

namespace shardmill::source {

namespace {

using Names = std::span<const std::string_view>;

/// What a column may say. A count is a place in samples, frames or bytes.
enum class Role { none, begin, end, length, count_of_begin, count_of_end, count_of_length };

// Names without what divides their words, and without a unit.
constexpr std::array<std::string_view, 24> kBegins{
    "offset",    "start",       "begin",          "starttime", "begintime", "timestart",
    "timebegin", "onset",       "starttimestamp", "xmin",      "tmin",      "tstart",
    "tbegin",    "startoffset", "offsetstart",    "beg",       "stime",     "开始",
    "开始时间",  "开始时刻",    "起始",           "起始时间",  "開始",      "開始時間"};
constexpr std::array<std::string_view, 26> kEnds{
    "end",        "endtime", "stop",     "stoptime", "timeend",   "timestop",     "offsetend",
    "xmax",       "tmax",    "tend",     "tstop",    "endoffset", "endtimestamp", "finish",
    "finishtime", "etime",   "结束",     "结束时间", "结束时刻",  "终止",         "终止时间",
    "截止时间",   "結束",    "結束時間", "終了",     "終了時間"};
constexpr std::array<std::string_view, 6> kLengths{"duration", "length", "dur", "时长", "時長", "持续时间"};
/// Words that may come first.
constexpr std::array<std::string_view, 11> kOf{"",     "audio", "segment",  "seg",     "utt",  "utterance",
                                               "clip", "cut",   "sentence", "snippet", "chunk"};

/// A second, or a part of one, is `seconds`, or `per_second` of them are one; both 0: it counts something
/// else.
struct Unit {
  std::string_view name;
  double seconds = 0;
  double per_second = 0;
};
constexpr std::array<Unit, 40> kUnits{{{"", 1, 1},
                                       {"s", 1, 1},
                                       {"sec", 1, 1},
                                       {"secs", 1, 1},
                                       {"second", 1, 1},
                                       {"seconds", 1, 1},
                                       {"ms", 0, 1e3},
                                       {"msec", 0, 1e3},
                                       {"msecs", 0, 1e3},
                                       {"milli", 0, 1e3},
                                       {"millis", 0, 1e3},
                                       {"millisecond", 0, 1e3},
                                       {"milliseconds", 0, 1e3},
                                       {"us", 0, 1e6},
                                       {"usec", 0, 1e6},
                                       {"microseconds", 0, 1e6},
                                       {"ns", 0, 1e9},
                                       {"nsec", 0, 1e9},
                                       {"nanoseconds", 0, 1e9},
                                       {"minutes", 60, 0},
                                       {"mins", 60, 0},
                                       {"h", 3600, 0},
                                       {"hours", 3600, 0},
                                       {"秒", 1, 1},
                                       {"毫秒", 0, 1e3},
                                       {"sample", 0, 0},
                                       {"samples", 0, 0},
                                       {"frame", 0, 0},
                                       {"frames", 0, 0},
                                       {"tick", 0, 0},
                                       {"ticks", 0, 0},
                                       {"byte", 0, 0},
                                       {"bytes", 0, 0},
                                       {"idx", 0, 0},
                                       {"index", 0, 0},
                                       {"pos", 0, 0},
                                       {"position", 0, 0},
                                       {"sampleidx", 0, 0},
                                       {"sampleindex", 0, 0},
                                       {"frameidx", 0, 0}}};

struct Meaning {
  Role role = Role::none;
  std::size_t rank = 0;  // of several names of one role, the lowest counts
  const Unit* unit = &kUnits.front();
};

/// Brackets and blanks of Chinese.
constexpr std::array<std::string_view, 5> kWideMarks{"（", "）", "［", "］", "\u3000"};

/// Of all alphabets.
bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         static_cast<unsigned char>(c) >= 0x80;
}

/// In small letters, without what divides words.
std::string plain(std::string_view name) {
  std::string result;
  while (!name.empty()) {
    const auto mark =
        std::ranges::find_if(kWideMarks, [name](std::string_view each) { return name.starts_with(each); });
    const std::size_t bytes = mark == kWideMarks.end() ? 1 : mark->size();
    if (mark == kWideMarks.end() && is_letter_or_digit(name.front())) result += base::lower(name.front());
    name.remove_prefix(bytes);
  }
  return result;
}

std::optional<Meaning> meaning_of(std::string_view name, Names stems, Role role, Role count) {
  for (std::size_t i = 0; i < stems.size(); ++i) {
    if (!name.starts_with(stems[i])) continue;
    std::string_view rest = name.substr(stems[i].size());
    if (rest.starts_with("in") && rest != "in" && rest != "index") rest.remove_prefix(2);
    for (const Unit& unit : kUnits) {
      if (rest != unit.name) continue;
      const bool is_count = unit.seconds == 0 && unit.per_second == 0;
      return Meaning{.role = is_count ? count : role, .rank = i, .unit = &unit};
    }
  }
  return std::nullopt;
}

Meaning meaning_of(std::string_view column) {
  const std::string name = plain(column);
  for (const std::string_view of : kOf) {
    if (!name.starts_with(of)) continue;
    const std::string_view rest = std::string_view(name).substr(of.size());
    // Of texts, a length is a number of words or letters.
    constexpr std::array<std::string_view, 3> kTexts{"utt", "utterance", "sentence"};
    if (rest == "length" && std::ranges::find(kTexts, of) != kTexts.end()) continue;
    const std::array<std::optional<Meaning>, 3> meanings{
        meaning_of(rest, kBegins, Role::begin, Role::count_of_begin),
        meaning_of(rest, kEnds, Role::end, Role::count_of_end),
        meaning_of(rest, kLengths, Role::length, Role::count_of_length)};
    for (const auto& meaning : meanings) {
      // Names such as "segment" say less than a name alone.
      if (meaning)
        return {.role = meaning->role,
                .rank = meaning->rank + (of.empty() ? 0 : kBegins.size()),
                .unit = meaning->unit};
    }
  }
  return {};
}

std::optional<double> number_in(const TableField& field) {
  const std::string text = field_text(field.second);
  if (text.find_first_of("xX") != text.npos) return std::nullopt;  // std::stod() reads such, too
  std::size_t end = 0;
  double number = std::numeric_limits<double>::quiet_NaN();
  try {
    number = std::stod(text, &end);
  } catch (const std::exception&) {
    return std::nullopt;
  }
  return end == text.size() && std::isfinite(number) ? std::optional(number) : std::nullopt;
}

/// The number divided by a power of ten, nearest to the decimal that is written.
double shifted(const TableField& field, double number, double per_second) {
  const std::string text = field_text(field.second);
  if (text.find_first_of("eE") != text.npos) return number / per_second;
  return std::stod(fmt::format("{}e-{}", text, std::lround(std::log10(per_second))));
}

/// Seconds of "1:02:03.5", with a point or a comma; nullopt for anything else. Of "02:03" it is unclear
/// whether these are hours.
std::optional<double> clock_seconds(const std::string& text) {
  constexpr std::string_view kDigits = "0123456789";
  const std::size_t first = text.find(':');
  const std::size_t second = first == text.npos ? first : text.find(':', first + 1);
  if (second == text.npos) return std::nullopt;
  const std::size_t mark = std::min(text.find_first_of(".,", second), text.size());
  const auto number_of = [&](std::size_t begin, std::size_t end, std::uint64_t below) {
    const std::string digits = text.substr(begin, end - begin);
    constexpr std::size_t kMostDigits = 4;
    const bool is_number = !digits.empty() && digits.size() <= kMostDigits &&
                           digits.find_first_not_of(kDigits) == digits.npos && std::stoul(digits) < below;
    return is_number ? std::optional<std::uint64_t>(std::stoul(digits)) : std::nullopt;
  };
  constexpr std::uint64_t kSixty = 60;
  const auto hours = number_of(0, first, UINT64_MAX);
  const auto minutes = number_of(first + 1, second, kSixty);
  const auto seconds = number_of(second + 1, mark, kSixty);
  const std::string fraction = text.substr(std::min(mark + 1, text.size()));
  const bool has_fraction = mark < text.size();
  if (!hours || !minutes || !seconds || fraction.find_first_not_of(kDigits) != fraction.npos ||
      (has_fraction && fraction.empty()))
    return std::nullopt;
  return std::stod(fmt::format("{}.{}", (*hours * kSixty + *minutes) * kSixty + *seconds, fraction));
}

/// "0,5" is not read: in another language it may be a list.
std::string advice_on_number(std::string text) {
  const std::size_t comma = text.find(',');
  if (comma == text.npos || text.find_first_not_of("0123456789,") != text.npos ||
      text.find(',', comma + 1) != text.npos)
    return {};
  text[comma] = '.';
  return fmt::format(", and a decimal point is needed: {}", text);
}

/// Throws Error for a field that is not a number.
double seconds_of(const TableField& field, const Unit& unit) {
  const auto number = number_in(field);
  if (!number) {
    const std::string text = field_text(field.second);
    if (const auto clock = clock_seconds(text); clock && unit.seconds == 1) return *clock;
    throw Error(fmt::format("'{}' is not a number of seconds: {}{}", printable(field.first), printable(text),
                            advice_on_number(text)));
  }
  return unit.seconds != 0 ? *number * unit.seconds : shifted(field, *number, unit.per_second);
}

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

bool is_unit(std::string_view word) {
  return word == "time" || std::ranges::any_of(kUnits, [word](const Unit& unit) {
           return unit.name == word && (unit.seconds != 0 || unit.per_second != 0);
         });
}

/// Without a unit, which may be the last word or the only one.
std::vector<std::string> words_without_unit(std::string_view name) {
  std::vector<std::string> words = words_of(name);
  if (words.size() > 1 && is_unit(words.back())) words.pop_back();
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

/// The fields that have such a name, and another field for the other half.
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
  const std::string name = plain(column);
  return holds(kTimes, name) || holds(kStretches, name);
}

/// True for an object with a begin and an end, or a begin and a length.
bool holds_times(const TableField& field) {
  if (!field.second.starts_with('{') || !is_name_of_stretch(field.first)) return false;
  std::set<Role> roles;
  base::JsonParser parser;
  for (const auto& [name, value] : parser.parse(field.second).members()) {
    const TableField member{std::string(name), value.line()};
    if (number_in(member)) roles.insert(meaning_of(member.first).role);
  }
  return roles.contains(Role::begin) && (roles.contains(Role::end) || roles.contains(Role::length));
}

/// What a column of an unknown name seems to be.
Role likeness_of(const TableField& field) {
  constexpr std::array<std::string_view, 27> kOther{
      "char",   "chars", "word",        "words", "token",      "tokens", "line", "lines", "page",
      "date",   "year",  "birth",       "tar",   "gain",       "noise",  "dc",   "db",    "snr",
      "energy", "prob",  "probability", "score", "confidence", "pitch",  "f0",   "is",    "has"};
  const std::vector<std::string> words = words_of(field.first);
  const bool is_list =
      is_pair_of_numbers(field.second) || (holds(kTimes, plain(field.first)) && is_range(field.second));
  const auto number = number_in(field);
  // Seconds since 1970 say when something was recorded.
  constexpr double kDate = 1e9;
  if ((!is_list && !number) || words.empty() || (number && *number >= kDate)) return Role::none;
  if (std::any_of(words.begin(), words.end(), [&](const std::string& word) { return holds(kOther, word); }))
    return Role::none;
  for (const std::string& word : words) {
    for (const std::string_view sign : {"start", "begin", "onset", "offset"}) {
      if (word.find(sign) != word.npos) return Role::begin;
    }
    if (word.starts_with("end") || word.starts_with("stop") || word.starts_with("finish")) return Role::end;
  }
  const std::string name = plain(field.first);
  if (words.back() == "to") return Role::end;
  constexpr std::array<std::string_view, 6> kLike{"duration", "dur", "length", "len", "seconds", "secs"};
  if (std::any_of(words.begin(), words.end(), [&](const std::string& word) { return holds(kLike, word); }))
    return Role::length;
  const bool may_begin =
      name == "ts" || words.back() == "from" || holds(kTimes, name) || (is_list && is_name_of_stretch(name));
  return may_begin ? Role::begin : Role::none;
}

/// The columns of one role.
struct Found {
  const TableField* field = nullptr;  // the one that counts
  Meaning meaning{};
  std::vector<std::pair<const TableField*, Meaning>> others{};

  void take(const TableField& other, const Meaning& its) {
    if (field == nullptr || its.rank < meaning.rank) {
      if (field != nullptr) others.emplace_back(field, meaning);
      field = &other;
      meaning = its;
    } else {
      others.emplace_back(&other, its);
    }
  }
  double seconds() const { return seconds_of(*field, *meaning.unit); }
};

struct Columns {
  Found begin;
  Found end;
  Found length;
};

/// Corpora round their times.
constexpr double kNearSeconds = 0.1;

[[noreturn]] void refuse(const TableField& field, bool is_count) {
  const std::string name = printable(field.first);
  throw Error(
      is_count ? fmt::format("the column '{}' counts samples, frames or bytes, and not seconds", name)
               : fmt::format("the column '{}' looks like a time, but its unit is unknown", name),
      {},
      "call times start, end or duration if they are in seconds, start_ms and so on if in milliseconds; a "
      "column that is no time needs another name");
}

void check_others(const std::vector<TableField>& fields, const Columns& known) {
  const bool has_begin = known.begin.field != nullptr;
  const bool has_end = known.end.field != nullptr || known.length.field != nullptr;
  if (has_begin && has_end) return;
  const std::vector<const TableField*> halves = halves_of_pairs(fields);
  for (const TableField& field : fields) {
    if (holds_times(field))
      throw Error(
          fmt::format("the column '{}' holds times inside an object", printable(field.first)), {},
          "give the rows members start and end, or start and duration; a column that is no time needs "
          "another name");
    Role role = meaning_of(field.first).role;
    const bool is_count = role >= Role::count_of_begin;
    if (role != Role::none && !is_count) continue;
    if (role == Role::none) role = likeness_of(field);
    if (role == Role::none && std::ranges::find(halves, &field) != halves.end())
      role = has_begin ? Role::end : Role::begin;
    const bool may_begin = role == Role::begin || role == Role::count_of_begin;
    const bool may_end = role == Role::end || role == Role::count_of_end || role == Role::count_of_length ||
                         (role == Role::length && has_begin);
    if ((may_begin && !has_begin) || (may_end && !has_end)) refuse(field, is_count);
  }
}

std::string contradiction(const Found& found) {
  const double first = found.seconds();
  for (const auto& [field, meaning] : found.others) {
    const double other = seconds_of(*field, *meaning.unit);
    if (!(std::abs(first - other) < kNearSeconds))
      return fmt::format("'{}' and '{}' contradict each other: {} s and {} s", printable(found.field->first),
                         printable(field->first), first, other);
  }
  return {};
}

void set_times(const Columns& known, LabelTimes& times) {
  const bool has_begin = known.begin.field != nullptr;
  times.has_begin = has_begin;
  if (has_begin) times.begin_seconds = known.begin.seconds();
  if (known.length.field != nullptr) times.seconds = known.length.seconds();
  if (known.end.field != nullptr) {
    times.end_seconds = known.end.seconds();
    const double between = times.end_seconds - times.begin_seconds;
    if (known.length.field != nullptr && !(std::abs(between - times.seconds) < kNearSeconds))
      times.problem = fmt::format("its times contradict each other: from {} s to {} s are not {} s",
                                  times.begin_seconds, times.end_seconds, times.seconds);
    times.seconds = between;
  } else if (has_begin && known.length.field != nullptr) {
    times.end_seconds = base::decimal_sum(times.begin_seconds, times.seconds);
  } else if (known.length.field != nullptr) {
    times.keeps_to_seconds = true;
    if (!(times.seconds > 0)) times.problem = fmt::format("lasts {} s", times.seconds);
  }
  times.has_unit = std::ranges::any_of(
      std::array{known.begin, known.end, known.length},
      [](const Found& found) { return found.field != nullptr && !found.meaning.unit->name.empty(); });
  if (times.problem.empty()) times.problem = why_no_stretch(times.begin_seconds, times.end_seconds);
  for (const Found* found : {&known.begin, &known.end, &known.length}) {
    if (found->field != nullptr && times.problem.empty()) times.problem = contradiction(*found);
  }
}

}  // namespace

LabelTimes times_of(const std::vector<TableField>& fields) {
  // Beside an onset, an offset is an end.
  const bool has_onset = std::any_of(fields.begin(), fields.end(), [](const TableField& field) {
    return plain(field.first).starts_with("onset") && meaning_of(field.first).role == Role::begin;
  });
  LabelTimes times;
  Columns known;
  for (const TableField& field : fields) {
    const Meaning meaning = meaning_of(field.first);
    const bool is_end = meaning.role == Role::end || (has_onset && plain(field.first).starts_with("offset"));
    Found* const found = is_end                         ? &known.end
                         : meaning.role == Role::begin  ? &known.begin
                         : meaning.role == Role::length ? &known.length
                                                        : nullptr;
    if (found == nullptr) continue;
    found->take(field, meaning);
    times.columns.push_back(&field);
  }
  check_others(fields, known);
  try {
    set_times(known, times);
  } catch (const Error& error) {
    times.problem = error.problem();
  }
  return times;
}

std::string columns_of_other_times(const base::JsonValue& object, double begin_seconds, double end_seconds) {
  const bool has_end = end_seconds != CorpusUtterance::kToTheEnd;
  bool says_begin = begin_seconds != 0;
  bool says_end = has_end;
  std::string columns;
  std::string lengths;  // which say nothing of a sample that is a whole file
  const auto add = [](std::string& names, std::string_view name) {
    names += fmt::format("{}'{}'", names.empty() ? "" : ", ", printable(name));
  };
  for (const auto& [name, value] : object.members()) {
    const TableField field{std::string(name), value.line()};
    const Meaning meaning = meaning_of(field.first);
    if (meaning.role == Role::none || !number_in(field)) continue;
    const bool is_of_begin = meaning.role == Role::begin || meaning.role == Role::count_of_begin;
    (is_of_begin ? says_begin : says_end) = true;
    if (meaning.role == Role::count_of_begin && !has_end) add(columns, name);
    if (meaning.role >= Role::count_of_begin) continue;
    const double seconds = seconds_of(field, *meaning.unit);
    if (meaning.role == Role::length && !has_end) add(lengths, name);
    const double known = meaning.role == Role::begin ? begin_seconds : end_seconds;
    if (meaning.role != Role::length && !(std::abs(seconds - known) < kNearSeconds)) add(columns, name);
  }
  // One of the two alone may be a fact about the file.
  if (!says_begin || !says_end) return {};
  if (lengths.empty() || (columns.empty() && begin_seconds == 0)) return columns;
  return columns + (columns.empty() ? "" : ", ") + lengths;
}

void LikelyTimes::learn(std::string_view audio, const std::string& facts) {
  constexpr std::size_t kRowsEnough = 2000;
  if (count_ == kRowsEnough) return;
  ++count_;
  Numbers numbers;
  base::JsonParser parser;
  for (const auto& [name, value] : parser.parse("{" + facts + "}").members()) {
    if (const auto number = number_in({std::string(name), value.line()})) numbers.emplace(name, *number);
  }
  rows_[std::string(audio)].push_back(std::move(numbers));
}

bool LikelyTimes::divide(const std::string& begin, const std::string& end) const {
  constexpr std::size_t kLeastPairs = 2;
  std::size_t pairs = 0;
  std::size_t apart = 0;
  for (const auto& [audio, rows] : rows_) {
    if (rows.size() < 2) continue;
    std::vector<std::pair<double, double>> stretches;
    for (const Numbers& row : rows) {
      const auto from = row.find(begin);
      const auto to = row.find(end);
      if (from == row.end() || to == row.end() || !why_no_stretch(from->second, to->second).empty())
        return false;
      stretches.emplace_back(from->second, to->second);
    }
    std::sort(stretches.begin(), stretches.end());
    for (std::size_t i = 1; i < stretches.size(); ++i) {
      ++pairs;
      apart += stretches[i].first >= stretches[i - 1].second - kNearSeconds ? 1 : 0;
    }
  }
  constexpr std::size_t kMostTogether = 10;  // a tenth of the pairs may overlap: people interrupt each other
  return pairs >= kLeastPairs && (pairs - apart) * kMostTogether <= pairs;
}

void LikelyTimes::check() const {
  const auto several =
      std::find_if(rows_.begin(), rows_.end(), [](const auto& each) { return each.second.size() > 1; });
  if (several == rows_.end()) return;
  const Numbers& columns = several->second.front();
  for (const auto& [begin, from] : columns) {
    for (const auto& [end, to] : columns) {
      if (!(from < to) || !divide(begin, end)) continue;
      throw Error(
          fmt::format(
              "several rows are about '{}', and none says which part of it: '{}' and '{}' look like its "
              "begin and its end",
              printable(several->first), printable(begin), printable(end)),
          {}, "call them start and end if they are in seconds, start_ms and end_ms if in milliseconds");
    }
  }
}

void UnitDoubt::learn(double begin_seconds, double end_seconds, bool has_unit) {
  constexpr double kLongSeconds = 100;
  if (end_seconds == CorpusUtterance::kToTheEnd) return;
  ++rows_;
  const bool is_whole = begin_seconds == std::floor(begin_seconds) && end_seconds == std::floor(end_seconds);
  are_whole_ = are_whole_ && is_whole && !has_unit;
  if (end_seconds - begin_seconds >= kLongSeconds) ++long_;
}

void UnitDoubt::check() const {
  constexpr std::uint64_t kLeastRows = 3;
  if (!are_whole_ || rows_ < kLeastRows || 2 * long_ < rows_) return;
  throw Error(
      fmt::format("its times are whole numbers, and as seconds they would make {} of {} longer than 100 s: "
                  "they look like milliseconds",
                  long_, base::format_count(rows_, "sample")),
      {}, "call the columns start_ms and end_ms if they are, and start_s and end_s if they are seconds");
}

std::string why_no_stretch(double begin_seconds, double end_seconds) {
  if (!(begin_seconds >= 0)) return fmt::format("begins at {} s", begin_seconds);
  if (begin_seconds < end_seconds) return {};
  return fmt::format("begins at {} s and ends at {} s", begin_seconds, end_seconds);
}

}  // namespace shardmill::source
