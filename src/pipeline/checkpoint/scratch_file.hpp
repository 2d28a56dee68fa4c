// Scratch files: a log that only grows (AppendLog) and can be cut back to a checkpoint; and checks that
// scratch files still hold the bytes that were written: a disk may flip a bit between two runs, or between
// writing and reading.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/hash/hash.hpp"
#include "base/io/file.hpp"

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

/// One thread at a time.
class AppendLog {
 public:
  explicit AppendLog(const std::string& path) : file_(base::File::open_update(path)) {}

  void append(std::string_view text) {
    buffer_ += text;
    if (buffer_.size() >= kBufferBytes) flush();
  }
  void append(std::span<const std::byte> bytes) {
    append(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  }
  /// Reads bytes that were appended before. Throws Error when there is less.
  void read(std::span<std::byte> out, std::uint64_t offset);
  void sync() {
    flush();
    file_.sync();
  }
  /// Describes everything appended so far. Call sync() first.
  FileMark mark() const { return {.bytes = written_bytes_, .hash = hash_.digest()}; }
  /// Drops everything after `mark`. Throws Error when the file is shorter, or its bytes have changed.
  void restore(const FileMark& mark);

 private:
  static constexpr std::size_t kBufferBytes = 64 << 10;

  void flush();

  base::File file_;
  std::uint64_t written_bytes_ = 0;
  base::RunningHash hash_;  // of these bytes
  std::string buffer_;
};

}  // namespace shardmill::pipeline
