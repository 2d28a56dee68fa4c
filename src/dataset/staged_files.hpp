// StagedFiles: files that a command adds beside those of others: made aside, then all given their names, or
// none.
#pragma once

#include <string>
#include <vector>

#include "dataset/owned_files.hpp"
#include "manifest/path_lists.hpp"

namespace shardmill::dataset {

class StagedFiles {
 public:
  /// `folder` must be locked by the caller. What an earlier run left is removed.
  explicit StagedFiles(const std::string& folder);
  /// Removes what was not given its name.
  ~StagedFiles();
  StagedFiles(const StagedFiles&) = delete;
  StagedFiles& operator=(const StagedFiles&) = delete;

  /// Where they are to be written, each under its final name.
  const std::string& path() const noexcept { return stage_; }

  /// Moves them. Throws Error, and has moved none, when a name is taken by something that is neither `owned`
  /// nor just the same.
  void publish(const std::vector<manifest::Checksum>& files, const FileNames& owned);

 private:
  std::string folder_;
  std::string stage_;
};

}  // namespace shardmill::dataset
