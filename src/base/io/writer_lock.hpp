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

/// Held from construction to release(). The lock file alone means nothing: after a crash it stays, but the
/// kernel's lock on it is gone. If the filesystem allows it, the folder of the file is locked as well, so
/// that deleting the file during a run does not let a second run in.
class WriterLock {
 public:
  /// The result of a try: the lock, or its holder ("host a, pid 7, since 2026-01-31T12:00:00Z: shardmill …").
  struct Attempt;

  /// Makes the folder of `path` if it is missing. `command` describes this process to other processes that
  /// wait. Throws Error if the file cannot be made or the filesystem has no locks.
  static Attempt attempt(const std::string& path, std::string_view command);
  /// Throws Error, which names the holder, if the lock is taken.
  static WriterLock acquire(const std::string& path, std::string_view command);
  /// Tries again every `interval` until it succeeds. Calls `before_sleep` with the holder each time; it may
  /// throw to give up.
  static WriterLock wait(const std::string& path, std::string_view command,
                         const std::function<void(const std::string& holder)>& before_sleep,
                         std::chrono::milliseconds interval = std::chrono::milliseconds(500));

  /// The current holder of the lock; nullopt if it is free. Does not touch the lock.
  static std::optional<std::string> holder(const std::string& path);

  /// True if the folder is locked, even if the lock file in it is gone.
  static bool is_folder_taken(const std::string& folder);

  WriterLock(WriterLock&&) noexcept = default;
  WriterLock& operator=(WriterLock&&) noexcept = default;
  ~WriterLock() { release(); }

  /// Throws Error if the lock file was deleted and another run may have started.
  void check_held() const;

  /// Removes the lock file, and the empty folders that were made for it. Then the next writer can get the
  /// lock.
  void release() noexcept;

 private:
  WriterLock(File file, File folder, NewFolders folders)
      : file_(std::move(file)), folder_(std::move(folder)), folders_(std::move(folders)) {}

  File file_;
  File folder_;  // the folder of the file; not open if folders cannot be locked
  NewFolders folders_;
};

struct WriterLock::Attempt {
  std::optional<WriterLock> lock;
  std::string holder;  // empty if we got the lock
};

}  // namespace shardmill::base
