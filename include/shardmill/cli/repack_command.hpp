// The command line of `shardmill repack`.
#pragma once

#include "shardmill/cli/command.hpp"
#include "shardmill/commands/repack.hpp"

namespace shardmill::cli {

Command repack_command();

/// For the steps of a run in parts, which recall a command that was given earlier.
commands::RepackOptions repack_options_of(const CommandLine& line);

}  // namespace shardmill::cli
