// WriterLock: one writer in a folder, by a lock that the kernel takes back however the writer ends.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/io/file.hpp"
#include "base/io/folder.hpp"

namespace shardmill::base {

/// Held from construction to release(). The lock file is of no meaning without the kernel's lock on it: one
/// that a crash or a reboot left behind holds nobody up. Where the filesystem can, the folder of the file is
/// locked as well, so that whoever deletes the file under a run does not let a second one in.
class WriterLock {
 public:
  /// The outcome of a try: the lock, or who has it ("host a, pid 7, since 2026-01-31T12:00:00Z: shardmill
  /// …").
  struct Attempt;

  /// Makes the folder of `path` where it is missing. `command` is what a refused process will read about this
  /// one. Throws Error when the file cannot be made or the filesystem has no locks.
  static Attempt attempt(const std::string& path, std::string_view command);
  /// Throws Error, naming the holder, when the lock is taken.
  static WriterLock acquire(const std::string& path, std::string_view command);
  /// Tries until it succeeds, every `interval`. `before_sleep` is told who holds the lock each time, and may
  /// throw to give up.
  static WriterLock wait(const std::string& path, std::string_view command,
                         const std::function<void(const std::string& holder)>& before_sleep,
                         std::chrono::milliseconds interval = std::chrono::milliseconds(500));

  /// Who holds the lock right now, without touching it; nullopt when nobody does.
  static std::optional<std::string> holder(const std::string& path);

  /// True when a holder's lock file in `folder` may be gone, but the folder is still locked.
  static bool is_folder_taken(const std::string& folder);

  WriterLock(WriterLock&&) noexcept = default;
  WriterLock& operator=(WriterLock&&) noexcept = default;
  ~WriterLock() { release(); }

  /// Throws Error when the lock was deleted in such a way that another run may be at work by now.
  void check_held() const;

  /// Removes the lock file, its folder, and the folders above it that were made for it, as far as nothing
  /// else is in them; and lets the next writer in.
  void release() noexcept;

 private:
  WriterLock(File file, File folder, NewFolders folders)
      : file_(std::move(file)), folder_(std::move(folder)), folders_(std::move(folders)) {}

  File file_;
  File folder_;  // that the file is in; not open where folders cannot be locked
  NewFolders folders_;
};

struct WriterLock::Attempt {
  std::optional<WriterLock> lock;
  std::string holder;  // empty when the lock was got
};

}  // namespace shardmill::base
