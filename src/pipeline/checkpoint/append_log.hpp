// AppendLog: a file that only grows, with a buffer. It can be cut back to its state at a checkpoint.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/io/file.hpp"
#include "pipeline/checkpoint/scratch_check.hpp"

namespace shardmill::pipeline {

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
