// The command line of `shardmill repack`.
#pragma once

#include "cli/command.hpp"
#include "repack/options.hpp"

namespace shardmill::cli {

Command repack_command();

/// All that a command line says. Throws UsageError.
repack::RepackOptions repack_options_of(const CommandLine& line);
/// What says how to work and not what to make: each step of a run in parts may have its own.
void set_ways_of_working(const CommandLine& line, repack::RepackOptions& options);

}  // namespace shardmill::cli
