// BucketLock: keeps other runs out of a place in a bucket, with objects that only one run can make.
#pragma once

#include <string>
#include <vector>

#include "base/remote/bucket_folder.hpp"
#include "base/reporter.hpp"
#include "repack/options.hpp"

namespace shardmill::repack {

/// A run that was killed leaves its lock there, and finds it again by its name. One thread at a time.
class BucketLock {
 public:
  /// `folders`: the folders in `folder` that are locked, in this order; "": itself. `name_path`: the file
  /// that keeps the name of this run; it is written if it is missing. `folder` must outlive the lock.
  BucketLock(const base::BucketFolder& folder, const std::vector<std::string>& folders,
             const std::string& name_path);

  /// Throws Error when another run holds it, or waits for that run if the options say so. Warns if the server
  /// cannot keep two runs apart.
  void take(const RunOptions& options, base::Reporter& reporter);
  /// Throws Error when another run has it by now.
  void check_held();
  /// Removes the objects that are this run's.
  void release();

 private:
  bool try_all(base::Reporter& reporter);
  bool try_one(const std::string& object, base::Reporter& reporter);
  bool is_ours(const std::string& object);
  [[noreturn]] void refuse() const;

  const base::BucketFolder& folder_;
  std::vector<std::string> objects_;
  std::string own_name_;
  // Of the last object that was another run's.
  std::string holder_;
  std::string held_object_;
  bool has_warned_ = false;
};

}  // namespace shardmill::repack
