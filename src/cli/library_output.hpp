// silence_libraries: keeps messages of libraries off the terminal.
#pragma once

namespace shardmill::cli {

/// From now on, text that libraries print to stdio's `stderr` is dropped (libmpg123, which libsndfile uses,
/// does that). Our own messages, which report what matters, go directly to the descriptor. Call it once,
/// before any threads are started.
void silence_libraries() noexcept;

}  // namespace shardmill::cli
