// WriterLock: lets only one writer work in a folder. The kernel frees the lock however the writer ends.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/io/file.hpp"
#include "base/io/folder.hpp"

namespace shardmill::base {

/// Held from construction to release(). The lock file alone means nothing: one that a crash left stops
/// nobody, because the kernel's lock on it is gone. Where the filesystem allows it, the folder of the file is
/// locked as well, so that deleting the file during a run does not let a second run in.
class WriterLock {
 public:
  /// The result of a try: the lock, or who holds it ("host a, pid 7, since 2026-01-31T12:00:00Z: shardmill
  /// …").
  struct Attempt;

  /// Makes the folder of `path` if it is missing. `command` describes this process to those it keeps out.
  /// Throws Error when the file cannot be made or the filesystem has no locks.
  static Attempt attempt(const std::string& path, std::string_view command);
  /// Throws Error, naming the holder, when the lock is taken.
  static WriterLock acquire(const std::string& path, std::string_view command);
  /// Tries again every `interval` until it succeeds. `before_sleep` is told who holds the lock each time; it
  /// may throw to give up.
  static WriterLock wait(const std::string& path, std::string_view command,
                         const std::function<void(const std::string& holder)>& before_sleep,
                         std::chrono::milliseconds interval = std::chrono::milliseconds(500));

  /// Who holds the lock now; nullopt when nobody does. Does not touch the lock.
  static std::optional<std::string> holder(const std::string& path);

  /// True when the folder is locked although the lock file in it may be gone.
  static bool is_folder_taken(const std::string& folder);

  WriterLock(WriterLock&&) noexcept = default;
  WriterLock& operator=(WriterLock&&) noexcept = default;
  ~WriterLock() { release(); }

  /// Throws Error when the lock was deleted in such a way that another run may be at work by now.
  void check_held() const;

  /// Removes the lock file, and its folder and the folders above it that were made for it, as long as they
  /// are empty. Then the next writer can get the lock.
  void release() noexcept;

 private:
  WriterLock(File file, File folder, NewFolders folders)
      : file_(std::move(file)), folder_(std::move(folder)), folders_(std::move(folders)) {}

  File file_;
  File folder_;  // the folder of the file; not open where folders cannot be locked
  NewFolders folders_;
};

struct WriterLock::Attempt {
  std::optional<WriterLock> lock;
  std::string holder;  // empty when we got the lock
};

}  // namespace shardmill::base
