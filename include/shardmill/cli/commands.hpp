// The table of commands.
#pragma once

#include <span>

#include "shardmill/cli/command.hpp"

namespace shardmill::cli {

/// All commands, in the order `shardmill --help` shows them.
std::span<const Command> commands();

}  // namespace shardmill::cli
