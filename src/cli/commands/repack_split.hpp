// The options of repack that make several datasets of the same sources.
#pragma once

#include "cli/command_line.hpp"

namespace shardmill::cli {

void add_split_options(CommandLine& line);
/// True when the command line gives one of them.
bool speaks_of_split(const CommandLine& line);
int run_split(const CommandLine& line);

}  // namespace shardmill::cli
