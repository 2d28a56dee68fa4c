// Checks that scratch files still hold the bytes that were written: a disk may flip a bit between two runs,
// or between writing and reading.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/error.hpp"
#include "base/hash/hash.hpp"

namespace shardmill::pipeline {

/// The size of a growing file and the hash of its bytes.
struct FileMark {
  std::uint64_t bytes = 0;
  std::uint64_t hash = base::RunningHash().digest();
};

/// The hash of the first `bytes` bytes of a file. Throws Error when the file is shorter.
base::RunningHash hash_of_start(const std::string& path, std::uint64_t bytes,
                                const std::function<void()>& between_steps = {});

/// The hash of the marked bytes, with which the file can be continued. Throws Error when bytes are missing or
/// have changed.
base::RunningHash check_file(const std::string& path, const FileMark& mark,
                             const std::function<void()>& between_steps = {});

/// The error for a scratch file whose bytes have changed.
Error scratch_damage(const std::string& path);

}  // namespace shardmill::pipeline
