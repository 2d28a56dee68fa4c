// The options that say how shards are read in training: by whom, and in which batches.
#pragma once

#include <cstdint>
#include <string>

#include "cli/command_line.hpp"
#include "ranks/options.hpp"

namespace shardmill::cli {

/// --world-size, --workers, --loader, --epochs, --seed, those of batches, and --buckets.
void add_training_options(CommandLine& line);

/// Reads them. Throws UsageError, also where --world-size is missing.
void read_training(const CommandLine& line, ranks::RanksOptions& options);

}  // namespace shardmill::cli
