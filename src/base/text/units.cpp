#include "base/text/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

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

namespace {

__extension__ using Wide = unsigned __int128;
__extension__ using SignedWide = __int128;

/// digits * 10^exponent
struct Decimal {
  std::int64_t digits = 0;
  int exponent = 0;
};

/// `value` is finite.
Decimal decimal_of(double value) {
  std::array<char, 32> text{};
  const auto written =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::scientific);
  const std::string_view all(text.data(), static_cast<std::size_t>(written.ptr - text.data()));
  const std::size_t exponent_at = all.find('e');
  Decimal decimal;
  int decimals = 0;
  bool is_behind_point = false;
  for (const char c : all.substr(0, exponent_at)) {
    if (c == '.') is_behind_point = true;
    if (c < '0' || c > '9') continue;
    decimal.digits = 10 * decimal.digits + (c - '0');
    if (is_behind_point) ++decimals;
  }
  if (value < 0) decimal.digits = -decimal.digits;
  decimal.exponent = std::atoi(all.data() + exponent_at + 1) - decimals;
  return decimal;
}

Wide power_of_ten(int exponent) {
  Wide power = 1;
  for (int i = 0; i < exponent; ++i) power *= 10;
  return power;
}

}  // namespace

std::uint64_t rounded_product(double value, std::uint32_t factor) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  constexpr double kTooLarge = 1e18;
  constexpr int kMostDecimals = 37;  // twice their power of ten fits into 128 bits
  if (!(value > 0) || factor == 0) return 0;
  if (value * factor >= kTooLarge) return kMost;
  const Decimal decimal = decimal_of(value);
  const Wide product = static_cast<Wide>(decimal.digits) * factor;
  if (decimal.exponent >= 0) return static_cast<std::uint64_t>(product * power_of_ten(decimal.exponent));
  if (decimal.exponent < -kMostDecimals) return 0;
  const Wide whole = power_of_ten(-decimal.exponent);
  return static_cast<std::uint64_t>((2 * product + whole) / (2 * whole));
}

double decimal_sum(double a, double b) {
  constexpr int kMostApart = 19;
  if (a - a != 0 || b - b != 0) return a + b;
  Decimal high = decimal_of(a);
  Decimal low = decimal_of(b);
  if (high.exponent < low.exponent) std::swap(high, low);
  if (high.exponent - low.exponent > kMostApart) return a + b;
  const SignedWide scale = static_cast<SignedWide>(power_of_ten(high.exponent - low.exponent));
  const SignedWide sum = high.digits * scale + low.digits;
  const Wide digits = static_cast<Wide>(sum < 0 ? -sum : sum);
  constexpr std::uint64_t kHalf = 1'000'000'000'000'000'000;
  const std::string text =
      fmt::format("{}{}{:018}e{}", sum < 0 ? "-" : "", static_cast<std::uint64_t>(digits / kHalf),
                  static_cast<std::uint64_t>(digits % kHalf), low.exponent);
  return number_in<double>(text).value_or(a + b);
}

}  // namespace shardmill::base
