#include "base/text/numbers.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <string_view>
#include <utility>

namespace shardmill::base {

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
