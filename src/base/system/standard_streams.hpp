// Standard input, output and error as they may be found: closed, full, or read by nobody.
#pragma once

#include <string_view>

namespace shardmill::base {

/// Opens /dev/null for each of the three that is closed. Call this first: else the next file that is opened
/// takes its number, and gets what was meant for it. Messages are lost then; writing results to standard
/// output still fails.
void open_standard_streams();

/// Writes to standard error as well as it can. Messages that nobody can read are lost, and the work goes on.
void write_to_standard_error(std::string_view text) noexcept;

}  // namespace shardmill::base
