// silence_libraries: only our own messages reach the terminal.
#pragma once

namespace shardmill::cli {

/// What libraries print through stdio's `stderr` (libmpg123 does, behind libsndfile) goes nowhere from now
/// on: what counts of it stands in our messages, which go to the descriptor. To be called once, before there
/// are threads.
void silence_libraries() noexcept;

}  // namespace shardmill::cli
