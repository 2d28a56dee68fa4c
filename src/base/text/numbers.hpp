// numbers: reads numbers that are all of a text.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>

namespace shardmill::base {

/// nullopt when the text is anything but a number, or one that the type cannot hold. Whole numbers are
/// digits, with a minus where the type has negative ones; no blanks, no plus.
template <typename Number>
std::optional<Number> number_in(std::string_view text) {
  Number number{};
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// A number of things, of fewer than 19 digits, so that sums of them fit into 64 bits.
inline std::optional<std::uint64_t> count_in(std::string_view text) {
  constexpr std::size_t kTooManyDigits = 19;
  return text.size() < kTooManyDigits ? number_in<std::uint64_t>(text) : std::nullopt;
}

}  // namespace shardmill::base
