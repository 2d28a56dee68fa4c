// Command: one entry of the table of commands; the table itself, and how a command is found in it.
#pragma once

#include <span>
#include <string_view>

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

/// Each is in a file of its own in cli/commands.
Command cat_command();
Command convert_command();
Command doctor_command();
Command index_command();
Command inspect_command();
Command ranks_command();
Command repack_command();
Command repair_command();
Command report_command();
Command update_command();
Command verify_command();

/// All commands, in the order `shardmill --help` shows them.
std::span<const Command> commands();

/// The command with this name. Throws UsageError for an unknown name.
const Command& find_command(std::string_view name);

/// A command line that knows all options of `command`.
CommandLine options_of(const Command& command);

}  // namespace shardmill::cli
