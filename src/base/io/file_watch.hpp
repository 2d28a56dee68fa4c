// FileWatch: tells whether a file is still the one that was opened.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <string>

#include "base/io/file.hpp"

namespace shardmill::base {

/// Thread-safe. The File may be closed once the watch is made.
class FileWatch {
 public:
  /// `file` must just have been opened by its path. Only regular files are watched.
  explicit FileWatch(const File& file);

  /// When the file was last written, as of its opening.
  std::int64_t mtime_ns() const noexcept;
  /// Throws FatalError unless the file had this size and time when it was opened.
  void expect(std::uint64_t bytes, std::int64_t mtime_ns) const;
  /// Throws FatalError when the path now names no file, another file, or one of another size or time.
  void check() const;

 private:
  std::string path_;
  struct stat opened_ {};
};

}  // namespace shardmill::base
