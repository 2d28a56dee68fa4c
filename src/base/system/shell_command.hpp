// Shell commands whose output is data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace shardmill::base {

/// What `sh -c command` writes to its standard output. The command gets no input, and its standard error is
/// ours. Throws Error when it cannot be run, fails, or writes more than `limit_bytes`. Thread-safe.
std::vector<std::byte> output_of(const std::string& command, std::uint64_t limit_bytes);

}  // namespace shardmill::base
