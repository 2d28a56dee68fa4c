// What liblzma's results mean, in words.
#pragma once

#include <cstdint>
#include <string>

namespace shardmill::codec {

inline constexpr std::uint64_t kXzMemoryLimitBytes = std::uint64_t{256} << 20;  // xz -9 asks for 65 MiB

struct XzProblem {
  std::string text;  // empty: nothing is wrong
  std::string advice;
};

/// `status`: an lzma_ret. `needed_bytes`: the memory that decoding needs, when that is more than the limit.
XzProblem xz_problem(int status, std::uint64_t needed_bytes);

}  // namespace shardmill::codec
