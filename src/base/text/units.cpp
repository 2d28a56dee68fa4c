#include "base/text/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <optional>

#include "base/error.hpp"
#include "base/text/letters.hpp"

namespace shardmill::base {

namespace {

struct Unit {
  std::string_view name;
  double factor;
};

constexpr double kKi = 1024;
constexpr std::array kSizeUnits{Unit{"", 1},
                                Unit{"b", 1},
                                Unit{"k", 1e3},
                                Unit{"kb", 1e3},
                                Unit{"m", 1e6},
                                Unit{"mb", 1e6},
                                Unit{"g", 1e9},
                                Unit{"gb", 1e9},
                                Unit{"t", 1e12},
                                Unit{"tb", 1e12},
                                Unit{"kib", kKi},
                                Unit{"mib", kKi* kKi},
                                Unit{"gib", kKi* kKi* kKi},
                                Unit{"tib", kKi* kKi* kKi* kKi}};

// From large to small: users must write them in this order.
constexpr std::array kTimeUnits{Unit{"h", 3600}, Unit{"m", 60}, Unit{"s", 1}, Unit{"ms", 1e-3}};

struct OtherName {
  std::string_view name;
  std::string_view unit;
};
constexpr std::array kOtherTimeNames{
    OtherName{"hr", "h"},  OtherName{"hrs", "h"},  OtherName{"hour", "h"},   OtherName{"hours", "h"},
    OtherName{"min", "m"}, OtherName{"mins", "m"}, OtherName{"minute", "m"}, OtherName{"minutes", "m"},
    OtherName{"sec", "s"}, OtherName{"secs", "s"}, OtherName{"second", "s"}, OtherName{"seconds", "s"}};

/// "m" for "min".
std::string_view short_name(std::string_view unit) {
  const auto* const other = std::find_if(kOtherTimeNames.begin(), kOtherTimeNames.end(),
                                         [&](const OtherName& o) { return o.name == unit; });
  return other == kOtherTimeNames.end() ? unit : other->unit;
}

constexpr double kLargestSize = 9.2e18;     // fits every signed 64-bit file offset
constexpr double kLongestSeconds = 3600e6;  // a million hours

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Takes a number like "12" or "1.5" from the front of `text`; nullopt if `text` starts with no number. No
/// sign, no exponent.
std::optional<double> take_number(std::string_view& text) {
  if (text.empty() || !is_digit(text.front())) return std::nullopt;
  double number = 0;
  const auto [end, failure] =
      std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  if (failure != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

[[noreturn]] void refuse(std::string_view text, std::string_view what, std::string advice) {
  throw UsageError(fmt::format("'{}' is not a {}", printable(text), what), {}, std::move(advice));
}

/// Three significant digits: 1.23, 12.3, 123, 1234.
std::string three_digits(double value) {
  // These bounds are where rounding adds a digit.
  return fmt::format("{:.{}f}", value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0);
}

}  // namespace

std::uint64_t parse_size(std::string_view text) {
  constexpr auto kAdvice = "write it like 4096, 64K, 1.5G or 512MiB";
  std::string_view rest = text;
  const auto number = take_number(rest);
  if (!number) refuse(text, "size", kAdvice);
  const std::string name = lower(rest);
  const auto unit =
      std::find_if(kSizeUnits.begin(), kSizeUnits.end(), [&](const Unit& u) { return u.name == name; });
  if (unit == kSizeUnits.end()) refuse(text, "size", kAdvice);
  const double bytes = *number * unit->factor;
  if (bytes > kLargestSize) refuse(text, "size that files can have", kAdvice);
  return static_cast<std::uint64_t>(bytes);
}

double parse_duration_seconds(std::string_view text) {
  constexpr auto kAdvice = "write it like 250ms, 90s, 30m or 1h30m";
  std::string_view rest = text;
  double seconds = 0;
  auto allowed = kTimeUnits.begin();
  do {
    const auto number = take_number(rest);
    if (!number) refuse(text, "duration", kAdvice);
    if (rest.empty() && allowed == kTimeUnits.begin()) rest = "s";  // a plain number
    const std::string_view name = rest.substr(
        0, static_cast<std::size_t>(std::find_if(rest.begin(), rest.end(), is_digit) - rest.begin()));
    const auto unit =
        std::find_if(allowed, kTimeUnits.end(), [&](const Unit& u) { return u.name == short_name(name); });
    if (unit == kTimeUnits.end()) refuse(text, "duration", kAdvice);
    seconds += *number * unit->factor;
    rest.remove_prefix(name.size());
    allowed = std::next(unit);
  } while (!rest.empty());
  if (seconds > kLongestSeconds) refuse(text, "duration that makes sense here", kAdvice);
  return seconds;
}

std::string format_count(std::uint64_t count) {
  std::string digits = fmt::format("{}", count);
  for (std::size_t from_end = 3; from_end < digits.size(); from_end += 4) {
    digits.insert(digits.size() - from_end, 1, ',');
  }
  return digits;
}

std::string format_count(std::uint64_t count, std::string_view one) {
  return fmt::format("{} {}{}", format_count(count), one, count == 1 ? "" : "s");
}

std::string format_size(std::uint64_t bytes) {
  constexpr std::array kNames{"kB", "MB", "GB", "TB", "PB", "EB"};
  if (bytes < 1000) return fmt::format("{} B", bytes);
  double value = static_cast<double>(bytes) / 1000;
  auto name = kNames.begin();
  for (; value >= 999.5 && std::next(name) != kNames.end(); ++name) value /= 1000;
  return fmt::format("{} {}", three_digits(value), *name);
}

std::string format_rate(double bytes_per_second) {
  return format_size(static_cast<std::uint64_t>(std::clamp(bytes_per_second, 0.0, kLargestSize))) + "/s";
}

std::string format_audio(double seconds) {
  if (seconds < 59.995) return fmt::format("{:.2f} s", seconds);
  if (seconds < 3597) return fmt::format("{:.1f} min", seconds / 60);
  const auto tenths = static_cast<std::uint64_t>(std::llround(seconds / 360));
  return fmt::format("{}.{} h", format_count(tenths / 10), tenths % 10);
}

std::string format_elapsed(double seconds) {
  if (seconds < 9.95) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<std::uint64_t>(std::llround(seconds));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  if (whole < 86400) return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
  return fmt::format("{} d {:02} h", whole / 86400, whole % 86400 / 3600);
}

std::string format_speed(double times_real_time) {
  if (times_real_time < 9.95) return fmt::format("{:.1f}", times_real_time);
  return format_count(static_cast<std::uint64_t>(times_real_time + 0.5));
}

}  // namespace shardmill::base
