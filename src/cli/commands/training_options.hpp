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

/// The value of an option that takes a whole number. Throws UsageError.
std::uint64_t number_of(const CommandLine& line, const std::string& option, std::uint64_t lowest,
                        std::uint64_t highest);

}  // namespace shardmill::cli
