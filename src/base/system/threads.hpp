// Threads: whether the system lets this process have as many as it wants.
#pragma once

namespace shardmill::base {

/// Throws Error when `count` threads cannot run beside the caller's. Libraries that start threads later, in
/// the middle of the work, would end the whole process then.
void check_threads(unsigned count);

}  // namespace shardmill::base
