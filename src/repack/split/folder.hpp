// The folder that holds the datasets of a split: which files it may hold, and how they are published
// together.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/io/writer_lock.hpp"
#include "dataset/publish.hpp"
#include "manifest/run_record.hpp"

namespace shardmill::repack {

std::string split_record_path(const std::string& out_folder);

/// Throws Error when the folder holds anything that is not shardmill's, or a dataset of another name than
/// `splits`. Changes nothing.
void check_split_folder(const std::string& out_folder, const std::vector<std::string>& splits);

/// The request of the unfinished run, as begin_split() wrote it; nullopt without such a run.
std::optional<std::string> begun_split(const std::string& out_folder);
/// Writes down the request of the run. Durable on return.
void begin_split(const std::string& out_folder, const std::string& what);

/// From now on the new datasets will replace the old ones, whatever happens. All of their files must be
/// durable, and prepare_publishing() done for each.
void commit_split(const std::string& out_folder, const manifest::SplitRecord& record);
/// The datasets that commit_split() promised; none when nothing is left to do.
std::set<std::string> committed_splits(const std::string& out_folder);
/// Does what commit_split() promised, and removes the work. Returns false when nothing was committed.
bool finish_split(const std::string& out_folder);

/// Removes all work in the folders of these splits and in their own folder, except for locks.
void remove_split_work(const std::string& out_folder, const std::vector<std::string>& splits);

/// The locks of the folder of a split and of those of its datasets. They are released in reverse, so that
/// folders that were made for nothing can be removed.
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
