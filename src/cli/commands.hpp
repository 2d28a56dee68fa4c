// The table of commands.
#pragma once

#include <span>
#include <string_view>

#include "cli/command.hpp"

namespace shardmill::cli {

/// All commands, in the order `shardmill --help` shows them.
std::span<const Command> commands();

/// The command with this name. Throws UsageError when there is none.
const Command& find_command(std::string_view name);

/// A command line that knows all options of `command`.
CommandLine options_of(const Command& command);

}  // namespace shardmill::cli
