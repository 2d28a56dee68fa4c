// Command: one entry of the command table.
#pragma once

#include <string>
#include <vector>

#include "cli/command_line.hpp"

namespace shardmill::cli {

inline constexpr int kExitDone = 0;
inline constexpr int kExitFailed = 1;
inline constexpr int kExitUsage = 2;
inline constexpr int kExitTooManyRejects = 3;

struct Command {
  CommandText text;
  void (*add_options)(CommandLine& line);
  /// Runs the command with parsed options; returns the exit code. Throws Error.
  int (*run)(const CommandLine& line);
};

}  // namespace shardmill::cli
