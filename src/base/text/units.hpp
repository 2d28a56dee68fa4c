// Numbers in texts: reads a text that holds only a number, computes with decimal numbers such as times in
// seconds without the errors of binary fractions, and reads and writes sizes and durations as people do.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace shardmill::base {

/// Reads a number of bytes: "4096", "4K", "1.5G", "512MiB". K M G T, alone or followed by B, are powers of
/// 1000; KiB MiB GiB TiB are powers of 1024. Case does not matter; a fraction of a byte is dropped. Throws
/// UsageError.
std::uint64_t parse_size(std::string_view text);

/// Reads a number of seconds: "90", "90s", "1.5s", "250ms", "30m", "1h30m". Units go from large to small,
/// each at most once. Throws UsageError.
double parse_duration_seconds(std::string_view text);

/// 1234567 -> "1,234,567".
std::string format_count(std::uint64_t count);
/// "1 shard", "1,234 shards".
std::string format_count(std::uint64_t count, std::string_view one);
/// Powers of 1000 with at least three digits: "999 B", "1.23 kB", "45.6 MB", "789 GB".
std::string format_size(std::uint64_t bytes);
/// "45.6 MB/s".
std::string format_rate(double bytes_per_second);
/// An amount of audio: "1,234.5 h"; "12.3 min" below an hour; "4.57 s" below a minute.
std::string format_audio(double seconds);
/// A span of time: "0.4 s", "12 s", "3 min 05 s", "2 h 07 min", "3 d 04 h".
std::string format_elapsed(double seconds);

/// A speed as a multiple of real time: "1.0", "9.3", "12,345". Goes before "times", so even 1 is written as
/// "1.0".
std::string format_speed(double times_real_time);

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
