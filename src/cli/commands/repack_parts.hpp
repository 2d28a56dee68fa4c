// repack --parts, --part, --deal and --finish: a run that several machines share.
#pragma once

#include "cli/command_line.hpp"

namespace shardmill::cli {

void add_parts_options(CommandLine& line);

/// True when the line has an option of a run in parts.
bool speaks_of_parts(const CommandLine& line);
/// Carries out the step that the line asks for; returns the exit code.
int run_parts(const CommandLine& line);

}  // namespace shardmill::cli
