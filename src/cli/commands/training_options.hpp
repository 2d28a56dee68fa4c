// The options that describe a training: its ranks, its loader and its batches.
#pragma once

#include <cstdint>
#include <string>

#include "cli/command_line.hpp"
#include "ranks/ranks.hpp"

namespace shardmill::cli {

/// Adds --world-size, --workers, --loader, --epochs, --seed, the options for batches, and --buckets.
void add_training_options(CommandLine& line);

/// Reads these options. Throws UsageError, also if --world-size is missing.
void read_training(const CommandLine& line, ranks::RanksOptions& options);

}  // namespace shardmill::cli
