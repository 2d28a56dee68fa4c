// Scratch files are trusted only while their bytes are those that were written: between two runs, or between
// writing and reading, a disk may flip a bit.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/error.hpp"
#include "base/hash/running_hash.hpp"

namespace shardmill::pipeline {

/// How much of a growing file there is, and what its bytes are.
struct FileMark {
  std::uint64_t bytes = 0;
  std::uint64_t hash = base::RunningHash().digest();
};

/// The hash of the first `bytes` of a file. Throws Error when the file is shorter.
base::RunningHash hash_of_start(const std::string& path, std::uint64_t bytes,
                                const std::function<void()>& between_steps = {});

/// The hash of the marked bytes, to go on from. Throws Error when they are not there or are others.
base::RunningHash check_file(const std::string& path, const FileMark& mark,
                             const std::function<void()>& between_steps = {});

/// For a scratch file whose bytes are not those that were written.
Error scratch_damage(const std::string& path);

}  // namespace shardmill::pipeline
