// repack --parts, --part, --deal and --finish: a run that several machines share.
#pragma once

#include "cli/command_line.hpp"

namespace shardmill::cli {

void add_parts_options(CommandLine& line);

/// True where the line speaks of parts.
bool speaks_of_parts(const CommandLine& line);
/// Carries it out; returns the exit code.
int run_parts(const CommandLine& line);

}  // namespace shardmill::cli
