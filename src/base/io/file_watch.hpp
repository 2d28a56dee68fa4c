// FileWatch: tells whether a file is still the one that was opened.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <string>

#include "base/io/file.hpp"

namespace shardmill::base {

/// Thread-safe; needs the file no longer once it is made.
class FileWatch {
 public:
  /// `file` has just been opened by its path. What is not a regular file is not watched.
  explicit FileWatch(const File& file);

  /// When it was written last, as it was opened.
  std::int64_t mtime_ns() const noexcept;
  /// Throws FatalError unless the file had this size and time when it was opened.
  void expect(std::uint64_t bytes, std::int64_t mtime_ns) const;
  /// Throws FatalError when the path names another file by now, or none, or one of another size or time.
  void check() const;

 private:
  std::string path_;
  struct stat opened_ {};
};

}  // namespace shardmill::base
