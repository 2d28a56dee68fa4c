#include "cli/commands/number_options.hpp"

#include <fmt/format.h>

#include <charconv>

#include "base/error.hpp"
#include "base/text/numbers.hpp"

namespace shardmill::cli {

std::uint64_t number_of(const CommandLine& line, const std::string& option, std::uint64_t lowest,
                        std::uint64_t highest) {
  const auto number = base::number_in<std::uint64_t>(line.text(option));
  if (!number || *number < lowest || *number > highest) {
    throw UsageError(fmt::format("--{} {} is out of range", option, printable(line.text(option))), {},
                     highest == UINT64_MAX
                         ? fmt::format("give a whole number, {} or more", lowest)
                         : fmt::format("give a whole number from {} to {}", lowest, highest));
  }
  return *number;
}

double times_real_time(const CommandLine& line, const std::string& option) {
  const std::string given = line.text(option);
  std::string_view digits = given;
  if (digits.ends_with('x')) digits.remove_suffix(1);
  double rate = 0;
  const auto [end, failure] =
      std::from_chars(digits.data(), digits.data() + digits.size(), rate, std::chars_format::fixed);
  if (failure != std::errc{} || end != digits.data() + digits.size() || !(rate > 0) || rate > 1e9) {
    throw UsageError(fmt::format("--{} {} is not a rate", option, printable(given)), {},
                     "write it like 400x: 400 seconds of audio a second");
  }
  return rate;
}

}  // namespace shardmill::cli
