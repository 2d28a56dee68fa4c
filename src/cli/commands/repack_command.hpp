// The command line of `shardmill repack`.
#pragma once

#include "cli/command.hpp"
#include "repack/options.hpp"

namespace shardmill::cli {

Command repack_command();

/// All options that a command line gives. Throws UsageError.
repack::RepackOptions repack_options_of(const CommandLine& line);
/// Reads the options that do not shape the dataset. Each step of a run in parts may have its own.
void set_ways_of_working(const CommandLine& line, repack::RepackOptions& options);

}  // namespace shardmill::cli
