// Standard input, output and error, which may be closed or full, or have no reader.
#pragma once

#include <string_view>

namespace shardmill::base {

/// Opens /dev/null for each of the three that is closed. Call this first: otherwise the next file to be
/// opened would get the number of the stream and its output. Messages are then lost, but writing results to a
/// closed standard output still fails.
void open_standard_streams();

/// Writes to standard error if it can. If the messages cannot be written, they are lost and the work
/// continues.
void write_to_standard_error(std::string_view text) noexcept;

/// Drops the text that libraries print to stdio's `stderr` from now on, as libmpg123, which libsndfile uses,
/// does. write_to_standard_error() is not affected. Call this once, before any threads are started.
void silence_libraries() noexcept;

}  // namespace shardmill::base
