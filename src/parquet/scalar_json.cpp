#include <fmt/format.h>

#include <bit>
#include <chrono>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>

#include "base/hash/hash.hpp"
#include "base/text/json_writer.hpp"
#include "base/text/letters.hpp"
#include "parquet/row_reader.hpp"

namespace shardmill::parquet {

namespace {

/// Rounded down, also below zero.
struct Divided {
  std::int64_t whole;
  std::int64_t rest;
};
Divided divide(std::int64_t value, std::int64_t by) {
  const std::int64_t whole = value / by - (value % by < 0 ? 1 : 0);
  return {whole, value - whole * by};
}

std::int64_t ticks_in_second(Unit unit) {
  switch (unit) {
    case Unit::milliseconds:
      return 1'000;
    case Unit::microseconds:
      return 1'000'000;
    case Unit::nanoseconds:
      break;
  }
  return 1'000'000'000;
}

/// The calendar of C++ ends long before the largest number of days.
bool is_date(std::int64_t days) {
  constexpr std::int64_t kMost = 3'000'000;
  return days >= -kMost && days <= kMost;
}

/// "2024-02-29"
std::string date_text(std::int64_t days) {
  if (!is_date(days)) return fmt::format("{}", days);
  const std::chrono::year_month_day date{std::chrono::sys_days{std::chrono::days{static_cast<int>(days)}}};
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                     static_cast<unsigned>(date.day()));
}

/// "23:59:59.125000": the unit says how many digits there are.
std::string time_text(std::int64_t ticks, Unit unit) {
  const auto [seconds, fraction] = divide(ticks, ticks_in_second(unit));
  return fmt::format("{:02}:{:02}:{:02}.{:0{}}", seconds / 3600, seconds / 60 % 60, seconds % 60, fraction,
                     static_cast<int>(unit));
}

std::string timestamp_text(std::int64_t ticks, Unit unit, bool is_utc) {
  constexpr std::int64_t kSecondsInDay = 86'400;
  const auto [days, rest] = divide(ticks, ticks_in_second(unit) * kSecondsInDay);
  if (!is_date(days)) return fmt::format("{}", ticks);
  return fmt::format("{}T{}{}", date_text(days), time_text(rest, unit), is_utc ? "Z" : "");
}

/// Of the old form of timestamps: nanoseconds of a day, and its Julian number.
std::string int96_text(std::span<const std::byte> bytes) {
  constexpr std::int64_t kJulianOf1970 = 2'440'588;
  const auto nanoseconds = static_cast<std::int64_t>(little_endian(bytes.first(8)));
  const auto day = static_cast<std::int64_t>(little_endian(bytes.subspan(8, 4))) - kJulianOf1970;
  return fmt::format("{}T{}", date_text(day), time_text(nanoseconds, Unit::nanoseconds));
}

/// A whole number of any size, highest byte first and in two's complement, in decimal digits.
std::string decimal_digits(std::span<const std::byte> bytes, bool& is_negative) {
  std::string magnitude(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  is_negative = !magnitude.empty() && (magnitude.front() & 0x80) != 0;
  if (is_negative) {
    bool carries = true;
    for (std::size_t i = magnitude.size(); i-- > 0;) {
      magnitude[i] = static_cast<char>(~magnitude[i] + (carries ? 1 : 0));
      carries = carries && magnitude[i] == 0;
    }
  }
  std::string digits;
  while (!magnitude.empty()) {
    unsigned rest = 0;
    for (char& byte : magnitude) {
      const unsigned part = rest << 8 | static_cast<unsigned char>(byte);
      byte = static_cast<char>(part / 10);
      rest = part % 10;
    }
    digits.insert(digits.begin(), static_cast<char>('0' + rest));
    magnitude.erase(0, std::min(magnitude.find_first_not_of('\0'), magnitude.size()));
  }
  return digits.empty() ? "0" : digits;
}

std::string decimal_text(const SchemaNode& column, const Scalar& value) {
  constexpr std::size_t kMostDigits = 1000;
  bool is_negative = value.integer < 0;
  std::string digits;
  if (column.type == Physical::int32 || column.type == Physical::int64) {
    digits = fmt::format("{}", is_negative ? 0 - static_cast<std::uint64_t>(value.integer)
                                           : static_cast<std::uint64_t>(value.integer));
  } else {
    if (value.bytes.size() > kMostDigits) return {};
    digits = decimal_digits(value.bytes, is_negative);
  }
  if (column.scale < 0 || static_cast<std::size_t>(column.scale) > kMostDigits) return {};
  const auto scale = static_cast<std::size_t>(column.scale);
  if (digits.size() <= scale) digits.insert(0, scale + 1 - digits.size(), '0');
  if (scale > 0) digits.insert(digits.size() - scale, ".");
  return is_negative ? "-" + digits : digits;
}

double half_value(std::uint64_t bits) {
  const auto fraction = static_cast<double>(bits & 0x3ff);
  const auto exponent = static_cast<int>(bits >> 10 & 0x1f);
  const double value = exponent == 0    ? std::ldexp(fraction, -24)
                       : exponent == 31 ? (fraction == 0 ? std::numeric_limits<double>::infinity()
                                                         : std::numeric_limits<double>::quiet_NaN())
                                        : std::ldexp(fraction + 1024, exponent - 25);
  return (bits & 0x8000) != 0 ? -value : value;
}

/// With the fewest digits that read back as the same float.
void append_float(std::string& out, float value) {
  if (!std::isfinite(value)) {
    out += "null";
    return;
  }
  const std::string digits = fmt::format("{}", value);
  out += digits;
  if (digits.find_first_of(".e") == std::string::npos) out += ".0";
}

void append_double(std::string& out, double value) {
  base::JsonWriter(out).value(value);
}

bool append_bytes(std::string& out, const SchemaNode& column, std::span<const std::byte> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  constexpr std::size_t kUuidBytes = 16;
  constexpr std::size_t kHalfBytes = 2;
  if (column.meaning == Meaning::uuid && bytes.size() == kUuidBytes) {
    std::string hex = base::to_hex(bytes);
    for (const std::size_t place : {std::size_t{20}, std::size_t{16}, std::size_t{12}, std::size_t{8}})
      hex.insert(place, "-");
    base::append_json_string(out, hex);
    return true;
  }
  if (column.meaning == Meaning::float16 && bytes.size() == kHalfBytes) {
    append_double(out, half_value(little_endian(bytes)));
    return true;
  }
  if (column.type == Physical::int96) {
    base::append_json_string(out, int96_text(bytes));
    return true;
  }
  const bool is_text = column.meaning == Meaning::text || column.meaning == Meaning::json;
  // Older writers do not say that bytes are a text.
  if (is_text || (column.type == Physical::byte_array && base::is_utf8(text))) {
    base::append_json_string(out, text);
    return true;
  }
  out += "null";
  return false;
}

}  // namespace

bool append_json(std::string& out, const SchemaNode& column, const Scalar& value) {
  if (column.meaning == Meaning::decimal) {
    const std::string text = decimal_text(column, value);
    out += text.empty() ? "null" : text;
    return !text.empty();
  }
  switch (column.type) {
    case Physical::boolean:
      out += value.integer != 0 ? "true" : "false";
      return true;
    case Physical::float32:
      append_float(out, static_cast<float>(value.real));
      return true;
    case Physical::float64:
      append_double(out, value.real);
      return true;
    case Physical::int32:
    case Physical::int64:
      break;
    default:
      return append_bytes(out, column, value.bytes);
  }
  switch (column.meaning) {
    case Meaning::date:
      base::append_json_string(out, date_text(value.integer));
      return true;
    case Meaning::time:
      base::append_json_string(out, time_text(value.integer, column.unit));
      return true;
    case Meaning::timestamp:
      base::append_json_string(out, timestamp_text(value.integer, column.unit, column.is_utc));
      return true;
    case Meaning::unsigned_integer:
      out += column.type == Physical::int32 ? fmt::format("{}", static_cast<std::uint32_t>(value.integer))
                                            : fmt::format("{}", static_cast<std::uint64_t>(value.integer));
      return true;
    default:
      out += fmt::format("{}", value.integer);
      return true;
  }
}

}  // namespace shardmill::parquet
