// `shardmill doctor --training` and `--compare`: their options, and how they run.
#pragma once

#include "cli/command_line.hpp"

namespace shardmill::cli {

void add_machine_options(CommandLine& line);

/// Throws UsageError for options that have no effect without --training or together with --compare.
void check_training_options(const CommandLine& line);

/// Runs doctor --training [DIR]; returns the exit code.
int run_training_doctor(const CommandLine& line);
/// Runs doctor --compare FILE...; returns the exit code.
int run_doctor_comparison(const CommandLine& line);

}  // namespace shardmill::cli
