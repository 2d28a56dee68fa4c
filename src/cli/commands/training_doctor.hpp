// The options of `shardmill doctor` that are about training, and what it does with them.
#pragma once

#include "cli/command_line.hpp"

namespace shardmill::cli {

void add_machine_options(CommandLine& line);

/// Throws UsageError for options that have no effect without `--training` or beside `--compare`.
void check_training_options(const CommandLine& line);

/// doctor --training [DIR]; returns the exit code.
int run_training_doctor(const CommandLine& line);
/// doctor --compare FILE...; returns the exit code.
int run_doctor_comparison(const CommandLine& line);

}  // namespace shardmill::cli
