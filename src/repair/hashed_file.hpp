// HashedFile: a file of a dataset as it was found, by its checksum.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/reporter.hpp"

namespace shardmill::repair {

struct HashedFile {
  std::string sha256;      // empty: there is no such file, or it cannot be read
  bool is_sealed = false;  // a parity file that is as it was written
  std::uint64_t bytes = 0;
};

/// Bytes that hash_file() holds at a time.
inline constexpr std::size_t kHashStepBytes = 1 << 20;

/// Throws Error for a file that cannot be read, and Interrupted. Files may be hashed in several threads.
HashedFile hash_file(const std::string& path, base::Reporter& reporter);

}  // namespace shardmill::repair
