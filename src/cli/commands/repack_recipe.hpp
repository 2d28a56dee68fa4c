// The options of `shardmill repack` that say what to make: one line each, read by the recipe itself.
#pragma once

#include "cli/command_line.hpp"
#include "dataset/recipe.hpp"

namespace shardmill::cli {

/// Adds the options for the number of shards.
void add_sizing_options(CommandLine& line);
/// Adds all other options, in their groups.
void add_recipe_options(CommandLine& line);

/// Throws UsageError, which names the option, for values that make no sense.
dataset::Recipe recipe_of(const CommandLine& line);

}  // namespace shardmill::cli
