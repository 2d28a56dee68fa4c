// run: takes the arguments and returns the exit code. This is the only place where errors become text.
#pragma once

namespace shardmill::cli {

/// Runs the command that `argv` names. Never throws.
int run(int argc, char** argv) noexcept;

}  // namespace shardmill::cli
