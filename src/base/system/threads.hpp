// Threads: whether the system lets this process have as many as it needs.
#pragma once

namespace shardmill::base {

/// Throws Error when `count` threads cannot run besides the caller's. Without this check, a library that
/// cannot start its threads in the middle of the work would end the process.
void check_threads(unsigned count);

}  // namespace shardmill::base
