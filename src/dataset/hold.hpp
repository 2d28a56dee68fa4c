// DatasetHold: makes sure that a finished dataset does not change while a command reads it or adds to it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/io/folder.hpp"
#include "base/io/writer_lock.hpp"
#include "base/reporter.hpp"

namespace shardmill::dataset {

class DatasetHold {
 public:
  /// For commands that write into the folder: takes its lock. Waits for other commands of this kind, which
  /// are quick. Throws Error, naming the holder, when a run is making the dataset again, and when new files
  /// wait for their names: what is written for the old dataset would come into the new one.
  static DatasetHold to_write(const std::string& folder, std::string_view command, base::Reporter& reporter);
  /// For commands that only read: takes no lock, so that the folder need not be writable.
  static DatasetHold to_read(const std::string& folder);

  /// Throws Error when the dataset was replaced meanwhile. Call it before writing anything.
  void check_same() const;

 private:
  DatasetHold(const std::string& folder, std::optional<base::WriterLock> lock);

  std::string folder_;
  std::optional<base::WriterLock> lock_;
  std::optional<base::Identity> dataset_;
};

/// For a command that reads a dataset without a lock, and must not take a change for damage.
class UnlockedRead {
 public:
  explicit UnlockedRead(std::string folder);

  /// Throws Error when another command has changed the dataset since, or has begun to.
  void check_unchanged() const;

 private:
  std::string folder_;
  std::vector<std::optional<base::Identity>> records_;
};

}  // namespace shardmill::dataset
