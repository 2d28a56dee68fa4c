// What is said of damage that a checksum shows only after the bytes that it covers were delivered.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace shardmill::codec {

/// How many of the bytes that were delivered of the same stream may be wrong: all of them. A file that only
/// ends too early gives no reason to doubt them.
inline std::uint64_t doubtful_bytes(std::string_view problem, std::uint64_t delivered_bytes) {
  return problem.starts_with("damaged") ? delivered_bytes : 0;
}

/// The problem, with that remark where there is doubt.
inline std::string with_doubt(std::string problem, std::uint64_t delivered_bytes) {
  if (doubtful_bytes(problem, delivered_bytes) > 0)
    problem += "; what was read before it in the same stream may be wrong, too";
  return problem;
}

}  // namespace shardmill::codec
