// SplitLocks: the locks of the folder of a split and of those of its datasets.
#pragma once

#include <utility>
#include <vector>

#include "base/io/writer_lock.hpp"

namespace shardmill::repack {

/// They are released in reverse, so that folders that were made for nothing can be removed.
class SplitLocks {
 public:
  SplitLocks() = default;
  SplitLocks(const SplitLocks&) = delete;
  SplitLocks& operator=(const SplitLocks&) = delete;
  ~SplitLocks() {
    while (!locks_.empty()) locks_.pop_back();
  }

  /// The outer folder's comes first.
  void add(base::WriterLock&& lock) { locks_.push_back(std::move(lock)); }
  const base::WriterLock& outer() const { return locks_.front(); }
  /// Throws Error when one was lost.
  void check_held() const {
    for (const base::WriterLock& lock : locks_) lock.check_held();
  }

 private:
  std::vector<base::WriterLock> locks_;
};

}  // namespace shardmill::repack
