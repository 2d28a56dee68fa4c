// The command line of `shardmill repack`.
#pragma once

#include "cli/command.hpp"
#include "repack/options.hpp"

namespace shardmill::cli {

Command repack_command();

/// For the steps of a run in parts, which recall a command that was given earlier.
repack::RepackOptions repack_options_of(const CommandLine& line);

}  // namespace shardmill::cli
