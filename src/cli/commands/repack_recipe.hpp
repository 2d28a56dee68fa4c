// The options of `shardmill repack` that shape the dataset: one line each, read by the recipe itself.
#pragma once

#include "cli/command_line.hpp"
#include "dataset/recipe.hpp"

namespace shardmill::cli {

/// Adds the options for the number of shards.
void add_sizing_options(CommandLine& line);
/// Adds all other options, in their groups.
void add_recipe_options(CommandLine& line);

/// Throws UsageError, which names the option, for values that are not valid or contradict each other.
dataset::Recipe recipe_of(const CommandLine& line);

}  // namespace shardmill::cli
