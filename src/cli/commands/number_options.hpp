// Numbers and rates that options take.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cli/command_line.hpp"

namespace shardmill::cli {

/// None: `text` is no whole number.
std::optional<std::uint64_t> whole_number(std::string_view text);

/// The value of `option`. Throws UsageError when it is no whole number from `lowest` to `highest`.
std::uint64_t number_of(const CommandLine& line, const std::string& option, std::uint64_t lowest,
                        std::uint64_t highest);

/// "400x" or "400". Throws UsageError.
double times_real_time(const CommandLine& line, const std::string& option);

}  // namespace shardmill::cli
