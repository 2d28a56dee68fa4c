// `shardmill repack`: its options and its three ways to run. Each source of this header has one of them.
#pragma once

#include "cli/command_line.hpp"
#include "dataset/recipe.hpp"
#include "repack/options.hpp"

namespace shardmill::cli {

// repack_command.cpp

/// All options that a command line gives. Throws UsageError.
repack::RepackOptions repack_options_of(const CommandLine& line);
/// Reads the options that do not shape the dataset. Each step of a run in parts may have its own.
void set_ways_of_working(const CommandLine& line, repack::RepackOptions& options);

// repack_recipe.cpp: the options that shape the dataset, one line each, read by the recipe itself

/// Adds the options for the number of shards.
void add_sizing_options(CommandLine& line);
/// Adds all other options, in their groups.
void add_recipe_options(CommandLine& line);
/// Throws UsageError, which names the option, for values that are not valid or contradict each other.
dataset::Recipe recipe_of(const CommandLine& line);

// repack_split.cpp: several datasets from the same sources

void add_split_options(CommandLine& line);
/// True if the command line has one of these options.
bool has_split_options(const CommandLine& line);
/// Returns the exit code.
int run_split(const CommandLine& line);

// repack_parts.cpp: a run that several machines share

void add_parts_options(CommandLine& line);
/// True if the command line has one of these options.
bool has_parts_options(const CommandLine& line);
/// Runs the step that the line asks for; returns the exit code.
int run_parts(const CommandLine& line);

}  // namespace shardmill::cli
