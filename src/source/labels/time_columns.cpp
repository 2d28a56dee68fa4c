#include "source/labels/time_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

#include "base/error.hpp"
#include "base/text/letters.hpp"
#include "base/text/units.hpp"

namespace shardmill::source {

namespace {

using Names = std::span<const std::string_view>;

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

constexpr std::array<TimeUnit, 40> kUnits{{{"", 1, 1},
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

/// Brackets and blanks of Chinese.
constexpr std::array<std::string_view, 5> kWideMarks{"（", "）", "［", "］", "\u3000"};

std::optional<TimeMeaning> meaning_of(std::string_view name, Names stems, TimeRole role, TimeRole count) {
  for (std::size_t i = 0; i < stems.size(); ++i) {
    if (!name.starts_with(stems[i])) continue;
    std::string_view rest = name.substr(stems[i].size());
    if (rest.starts_with("in") && rest != "in" && rest != "index") rest.remove_prefix(2);
    for (const TimeUnit& unit : kUnits) {
      if (rest != unit.name) continue;
      const bool is_count = unit.seconds == 0 && unit.per_second == 0;
      return TimeMeaning{.role = is_count ? count : role, .rank = i, .unit = &unit};
    }
  }
  return std::nullopt;
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

}  // namespace

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         static_cast<unsigned char>(c) >= 0x80;
}

std::string letters_of(std::string_view name) {
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

TimeMeaning meaning_of(std::string_view column) {
  const std::string name = letters_of(column);
  for (const std::string_view of : kOf) {
    if (!name.starts_with(of)) continue;
    const std::string_view rest = std::string_view(name).substr(of.size());
    // Of texts, a length is a number of words or letters.
    constexpr std::array<std::string_view, 3> kTexts{"utt", "utterance", "sentence"};
    if (rest == "length" && std::ranges::find(kTexts, of) != kTexts.end()) continue;
    const std::array<std::optional<TimeMeaning>, 3> meanings{
        meaning_of(rest, kBegins, TimeRole::begin, TimeRole::count_of_begin),
        meaning_of(rest, kEnds, TimeRole::end, TimeRole::count_of_end),
        meaning_of(rest, kLengths, TimeRole::length, TimeRole::count_of_length)};
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

bool is_unit_of_time(std::string_view word) {
  return word == "time" || std::ranges::any_of(kUnits, [word](const TimeUnit& unit) {
           return unit.name == word && (unit.seconds != 0 || unit.per_second != 0);
         });
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

double seconds_of(const TableField& field, const TimeUnit& unit) {
  const auto number = number_in(field);
  if (!number) {
    const std::string text = field_text(field.second);
    if (const auto clock = clock_seconds(text); clock && unit.seconds == 1) return *clock;
    throw Error(fmt::format("'{}' is not a number of seconds: {}{}", printable(field.first), printable(text),
                            advice_on_number(text)));
  }
  return unit.seconds != 0 ? *number * unit.seconds : shifted(field, *number, unit.per_second);
}

}  // namespace shardmill::source
