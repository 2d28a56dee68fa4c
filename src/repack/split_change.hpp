// SplitChange: changes all datasets of a split as one: whatever happens, either all of them are as before, or
// the next command completes all of them.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/reporter.hpp"
#include "dataset/publish.hpp"
#include "manifest/run_record.hpp"
#include "repack/options.hpp"
#include "repack/split/folder.hpp"

namespace shardmill::repack {

class SplitChange {
 public:
  /// True for the folder of a split, also when its datasets were changing as the machine stopped.
  static bool is_split(const std::string& folder);

  /// Locks the folder of the split and those of its datasets. Completes a change that was promised, and drops
  /// one that was not. Throws Error when another run works in one of them.
  SplitChange(std::string folder, const RepackOptions& options, base::Reporter& reporter);

  const std::vector<std::string>& names() const { return names_; }
  std::string folder_of(const std::string& name) const;
  /// Writes down that a change is being prepared. `what` tells it from other runs.
  void begin(const std::string& what) const;
  /// Drops the prepared files.
  void drop() const noexcept;

  struct Part {
    std::string name;
    dataset::Renames renames;
    std::set<std::string> kept;
  };
  /// Gives all datasets their new files. Everything must be durable already. Throws Error, also when a lock
  /// was lost.
  void publish(const std::vector<Part>& parts) const;

  /// The lock of one of the folders.
  const base::WriterLock& lock() const { return locks_.outer(); }

 private:
  std::string folder_;
  SplitLocks locks_;
  manifest::SplitRecord record_;
  std::vector<std::string> names_;
};

}  // namespace shardmill::repack
