// Reads a number from a text that has nothing else; and computes with numbers that were written in decimal,
// such as times in seconds, without the errors of binary fractions.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>

namespace shardmill::base {

/// nullopt if the text is not a number, or a number that the type cannot hold. Whole numbers are digits, with
/// a minus if the type has negative numbers; no blanks, no plus.
template <typename Number>
std::optional<Number> number_in(std::string_view text) {
  Number number{};
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// A count of fewer than 19 digits, so that sums of counts fit into 64 bits.
inline std::optional<std::uint64_t> count_in(std::string_view text) {
  constexpr std::size_t kTooManyDigits = 19;
  return text.size() < kTooManyDigits ? number_in<std::uint64_t>(text) : std::nullopt;
}

// A double stands here for the shortest decimal number that is read as it. This is the number as it was
// written if it had at most 15 digits: 0.29 times 100 is 29, although the double is smaller than 0.29.

/// The whole number nearest to `value` times `factor`; halves are rounded up. 0 for negative values, the
/// largest number for products that do not fit.
std::uint64_t rounded_product(double value, std::uint32_t factor);

/// 0.1 and 0.2 are 0.3.
double decimal_sum(double a, double b);

}  // namespace shardmill::base
