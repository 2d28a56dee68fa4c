// join_files: many files one behind the other in one, and the checksums of all of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/io/file.hpp"
#include "base/reporter.hpp"
#include "pipeline/workers.hpp"

namespace shardmill::pipeline {

/// Hashes of the files; SHA-256 as `sha256sum` prints it.
struct JoinedFiles {
  std::vector<std::string> sha256;   // of each
  std::vector<std::uint64_t> quick;  // of each, as RunningHash gives it
  std::string sha256_of_all;         // of what was written
};

/// Writes them to `all`, which is left to commit. A file that is not there counts as an empty one. Reading,
/// hashing and writing go on side by side, in bounded memory.
JoinedFiles join_files(const std::vector<std::string>& paths, base::AtomicFile& all, Workers& workers,
                       base::Reporter& reporter);

}  // namespace shardmill::pipeline
