// How many bytes of tar a dataset comes to: known well enough before anything is decoded.
#pragma once

#include <cstdint>
#include <vector>

#include "source/source_file.hpp"

namespace shardmill::source {

/// Looks at no more than 64 files, evenly spaced, and takes the others to be compressed like them. The same
/// files always give the same answer. Throws Error when a file cannot be read.
std::uint64_t estimate_tar_bytes(const std::vector<SourceFile>& files);

}  // namespace shardmill::source
