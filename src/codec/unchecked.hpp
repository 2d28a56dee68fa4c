// What is said of damage that a checksum shows only after the bytes that it covers were delivered.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace shardmill::codec {

/// The problem with that remark, when `delivered_bytes` of the same stream were delivered already. A file
/// that only ends too early gives no reason to doubt them.
inline std::string with_doubt(std::string problem, std::uint64_t delivered_bytes) {
  if (delivered_bytes > 0 && problem.starts_with("damaged"))
    problem += "; what was read before it in the same stream may be wrong, too";
  return problem;
}

}  // namespace shardmill::codec
