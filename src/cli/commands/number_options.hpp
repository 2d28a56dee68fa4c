// Numbers and rates that options take.
#pragma once

#include <cstdint>
#include <string>

#include "cli/command_line.hpp"

namespace shardmill::cli {

/// The value of `option`. Throws UsageError unless it is a whole number from `lowest` to `highest`.
std::uint64_t number_of(const CommandLine& line, const std::string& option, std::uint64_t lowest,
                        std::uint64_t highest);

/// "400x" or "400". Throws UsageError.
double times_real_time(const CommandLine& line, const std::string& option);

}  // namespace shardmill::cli
