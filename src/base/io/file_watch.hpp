// FileWatch: checks that a file is still the one that was opened.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/io/file.hpp"

namespace shardmill::base {

/// Thread-safe. The File may be closed once the watch is made.
class FileWatch {
 public:
  /// `file` must just have been opened by its path. Only regular files are watched.
  explicit FileWatch(const File& file);

  struct Facts {
    std::uint64_t bytes = 0;
    std::int64_t mtime_ns = 0;
  };
  /// What a watch would know of a file in a bucket, without asking for it; nullopt where no list is held that
  /// says it.
  static std::optional<Facts> of_listed(const std::string& path);

  /// The time of the last write, when the file was opened. Of several volumes, a number that depends on the
  /// time and the size of each; of an object on a server, one that changes with its version.
  std::int64_t mtime_ns() const noexcept;
  /// Throws FatalError unless the file had this size and time when it was opened.
  void expect(std::uint64_t bytes, std::int64_t mtime_ns) const;
  /// Throws FatalError if the path now has no file, another file, or one of another size or time.
  void check() const;

 private:
  struct Watched {
    std::string path;
    struct stat opened {};
  };

  std::vector<Watched> files_;  // several if the file has volumes
  std::uint64_t bytes_ = 0;
  std::shared_ptr<const RemoteObject> remote_{};  // instead
};

}  // namespace shardmill::base
