// join_files: writes many files one after another into one file, and computes their checksums.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/io/file.hpp"
#include "base/reporter.hpp"
#include "pipeline/workers.hpp"

namespace shardmill::dataset {

/// Hashes of the files; SHA-256 as `sha256sum` prints it.
struct JoinedFiles {
  std::vector<std::string> sha256;   // of each file
  std::vector<std::uint64_t> quick;  // of each file, as RunningHash computes it
  std::string sha256_of_all;         // of everything that was written
};

/// Writes the files to `all`, which the caller must commit. A missing file counts as an empty one. Reads,
/// hashes and writes at the same time, in bounded memory.
JoinedFiles join_files(const std::vector<std::string>& paths, base::AtomicFile& all,
                       pipeline::Workers& workers, base::Reporter& reporter);

}  // namespace shardmill::dataset
