// row: a line of a summary, with the name of a value and the value.
#pragma once

#include <fmt/format.h>

#include <chrono>
#include <string>
#include <string_view>

namespace shardmill::cli {

inline std::string row(std::string_view name, const std::string& value) {
  return fmt::format("  {:<14} {}\n", name, value);
}

inline double seconds_of(std::chrono::nanoseconds duration) {
  return std::chrono::duration<double>(duration).count();
}

}  // namespace shardmill::cli
