// Standard input, output and error, which may be closed, full, or read by nobody.
#pragma once

#include <string_view>

namespace shardmill::base {

/// Opens /dev/null in place of each of the three that is closed. Call this first: otherwise the next file to
/// be opened would get that number, and whatever was meant for the stream. Messages are then lost, but
/// writing results to a closed standard output still fails.
void open_standard_streams();

/// Writes to standard error if it can. When nobody can read the messages, they are lost and the work
/// continues.
void write_to_standard_error(std::string_view text) noexcept;

}  // namespace shardmill::base
